namespace CountStore.Input;

/// <summary>One file. Its readers take turns: one cuts a batch while the others count theirs.</summary>
/// <remarks>
/// The readers of fixed shares take turns in a fixed order: batch n belongs to share n modulo the number of shares.
/// Batches end where their keys say, not where blocks of the file end, so they are the same in each run.
/// </remarks>
internal sealed class FileInput : IInput
{
    private readonly Lock _turn = new();
    private readonly BlockStream _stream;
    private readonly KeyParser _parser;
    private SemaphoreSlim[]? _turns;
    private bool _ended;
    private long _bytesDone;
    private long _bytesParsed;

    /// <summary>Opens a file.</summary>
    /// <exception cref="InputException">It can't be read.</exception>
    public FileInput(string path, InputFormat format)
    {
        (Name, Format, _stream, _parser) = (path, format, new BlockStream(path), format.StartParser());
        TotalBytes = _stream.FileLength;
        FileInfo file = new(path);
        Fingerprint = FormattableString.Invariant(
            $"{file.FullName}, {TotalBytes:N0} bytes, last written {file.LastWriteTimeUtc:O}");
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <inheritdoc/>
    public InputFormat Format { get; }

    /// <inheritdoc/>
    public long TotalBytes { get; }

    /// <inheritdoc/>
    public long BytesDone => Volatile.Read(ref _bytesDone);

    /// <inheritdoc/>
    public long BytesParsed => Volatile.Read(ref _bytesParsed);

    /// <inheritdoc/>
    public string Fingerprint { get; }

    /// <inheritdoc/>
    public IKeyReader OpenReader() => new Reader(this);

    /// <inheritdoc/>
    public IKeyReader OpenShare(int share, int shares, CancellationToken stop)
    {
        lock (_turn)
        {
            _turns ??= [.. Enumerable.Range(0, shares).Select(at => new SemaphoreSlim(at == 0 ? 1 : 0))];
            return new ShareReader(this, _turns[share], _turns[(share + 1) % shares], stop);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _stream.Dispose();
        foreach (SemaphoreSlim turn in _turns ?? []) turn.Dispose();
    }

    private bool TryRead(KeyBatch batch)
    {
        batch.Clear();
        lock (_turn)
        {
            while (!_ended)
            {
                ReadOnlySpan<byte> block = _stream.Peek();
                if (block.IsEmpty)
                {
                    _ended = true;
                    _parser.End(batch);
                    break;
                }

                int taken = _parser.Parse(block, batch);
                _stream.Take(taken);
                Volatile.Write(ref _bytesDone, _stream.FilePosition);
                Volatile.Write(ref _bytesParsed, _bytesParsed + taken);
                if (taken < block.Length) break;
            }
        }

        return batch.Count > 0;
    }

    private sealed class Reader(FileInput input) : IKeyReader
    {
        public bool TryRead(KeyBatch batch) => input.TryRead(batch);

        public void Dispose()
        {
        }
    }

    private sealed class ShareReader(
        FileInput input, SemaphoreSlim turn, SemaphoreSlim next, CancellationToken stop) : IKeyReader
    {
        // Where reading fails the turn is not passed on: the pass stops the others.
        public bool TryRead(KeyBatch batch)
        {
            turn.Wait(stop);
            bool hasKeys = input.TryRead(batch);
            next.Release();
            return hasKeys;
        }

        public void Dispose()
        {
        }
    }
}
