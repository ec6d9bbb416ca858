using System.Collections.Concurrent;

namespace CountStore.Input;

/// <summary>
/// Many files. Each reader takes whole files, the largest first, so that all end at about the same time.
/// </summary>
internal sealed class FileSetInput : IInput
{
    private readonly ConcurrentQueue<string> _left;
    private long _bytesParsed;

    /// <summary>A set of files.</summary>
    public FileSetInput(string name, InputFormat format, IEnumerable<FileInfo> files)
    {
        FileInfo[] sorted = [.. files.OrderByDescending(file => file.Length)
            .ThenBy(file => file.FullName, StringComparer.Ordinal)];
        (Name, Format) = (name, format);
        TotalBytes = sorted.Sum(file => file.Length);
        _left = new ConcurrentQueue<string>(sorted.Select(file => file.FullName));
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <inheritdoc/>
    public InputFormat Format { get; }

    /// <inheritdoc/>
    public long TotalBytes { get; }

    /// <inheritdoc/>
    public long BytesDone => BytesParsed;

    /// <inheritdoc/>
    public long BytesParsed => Interlocked.Read(ref _bytesParsed);

    /// <inheritdoc/>
    public IKeyReader OpenReader() => new Reader(this);

    /// <inheritdoc/>
    public void Dispose()
    {
    }

    private sealed class Reader(FileSetInput input) : IKeyReader
    {
        private readonly KeyParser _parser = input.Format.StartParser();
        private BlockStream? _file;

        public bool TryRead(KeyBatch batch)
        {
            batch.Clear();
            while (true)
            {
                if (_file is null)
                {
                    if (!input._left.TryDequeue(out string? path)) return batch.Count > 0;
                    _file = new BlockStream(path);
                }

                ReadOnlySpan<byte> block = _file.Peek();
                if (block.IsEmpty)
                {
                    _parser.End(batch);
                    _file.Dispose();
                    _file = null;
                    continue;
                }

                int taken = _parser.Parse(block, batch);
                _file.Take(taken);
                Interlocked.Add(ref input._bytesParsed, taken);
                if (taken < block.Length) return true;
            }
        }

        public void Dispose() => _file?.Dispose();
    }
}
