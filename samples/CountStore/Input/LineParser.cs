namespace CountStore.Input;

/// <summary>
/// Cuts lines: the bytes between line feeds, less a carriage return at their end. Empty lines are skipped.
/// </summary>
internal sealed class LineParser : KeyParser
{
    private int _begunLength;
    private long _line = 1;

    /// <inheritdoc/>
    public override int Parse(ReadOnlySpan<byte> block, KeyBatch batch)
    {
        int at = 0;
        while (at < block.Length && !(batch.IsFull && _begunLength == 0))
        {
            int length = block[at..].IndexOf((byte)'\n');
            ReadOnlySpan<byte> part = length < 0 ? block[at..] : block.Slice(at, length);
            batch.Append(part);
            _begunLength += part.Length;
            if (_begunLength > KeyBatch.MaxKeyLength)
                throw new InputException(
                    $"Line {_line} is longer than {KeyBatch.MaxKeyLength:N0} bytes. Check --format.");
            at += part.Length;
            if (length < 0) break;
            at++;
            EndLine(batch);
        }

        return at;
    }

    /// <inheritdoc/>
    public override void End(KeyBatch batch)
    {
        EndLine(batch);
        _line = 1;
    }

    private void EndLine(KeyBatch batch)
    {
        int start = batch.Length - _begunLength;
        if (_begunLength > 0 && batch.From(start)[^1] == '\r') batch.CutTo(batch.Length - 1);
        if (batch.Length > start) batch.EndKey(start);
        _begunLength = 0;
        _line++;
    }
}
