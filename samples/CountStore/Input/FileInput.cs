namespace CountStore.Input;

/// <summary>One file. Its readers take turns: one cuts a batch while the others count theirs.</summary>
internal sealed class FileInput : IInput
{
    private readonly Lock _turn = new();
    private readonly BlockStream _stream;
    private readonly KeyParser _parser;
    private bool _ended;
    private long _bytesDone;
    private long _bytesParsed;

    /// <summary>Opens a file.</summary>
    /// <exception cref="InputException">It can't be read.</exception>
    public FileInput(string path, InputFormat format)
    {
        (Name, Format, _stream, _parser) = (path, format, new BlockStream(path), format.StartParser());
        TotalBytes = _stream.FileLength;
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
    public IKeyReader OpenReader() => new Reader(this);

    /// <inheritdoc/>
    public void Dispose() => _stream.Dispose();

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
}
