using System.Collections.Concurrent;

namespace CountStore.Input;

/// <summary>
/// Many files. Each reader takes whole files, the largest first, so that all end at about the same time.
/// </summary>
internal sealed class FileSetInput : IInput
{
    private readonly FileInfo[] _files;
    private readonly ConcurrentQueue<string> _left;
    private long _bytesParsed;

    /// <summary>A set of files.</summary>
    public FileSetInput(string name, InputFormat format, IEnumerable<FileInfo> files)
    {
        _files = [.. files.OrderByDescending(file => file.Length)
            .ThenBy(file => file.FullName, StringComparer.Ordinal)];
        (Name, Format) = (name, format);
        TotalBytes = _files.Sum(file => file.Length);
        _left = new ConcurrentQueue<string>(_files.Select(file => file.FullName));
        DateTime lastWritten = _files.Length == 0 ? default : _files.Max(file => file.LastWriteTimeUtc);
        Fingerprint = FormattableString.Invariant(
            $"{name}, {_files.Length:N0} files, {TotalBytes:N0} bytes, last written {lastWritten:O}");
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
    public string Fingerprint { get; }

    /// <inheritdoc/>
    public IKeyReader OpenReader() => new Reader(this, _left);

    /// <inheritdoc/>
    public IKeyReader OpenShare(int share, int shares, CancellationToken stop) =>
        new Reader(this, new ConcurrentQueue<string>(FilesOf(share, shares)));

    /// <inheritdoc/>
    public void Dispose()
    {
    }

    // Each file, the largest first, goes to the share that has the fewest bytes so far, the first of several.
    private List<string> FilesOf(int share, int shares)
    {
        List<string> files = [];
        long[] bytes = new long[shares];
        foreach (FileInfo file in _files)
        {
            int least = Array.IndexOf(bytes, bytes.Min());
            bytes[least] += file.Length;
            if (least == share) files.Add(file.FullName);
        }

        return files;
    }

    private sealed class Reader(FileSetInput input, ConcurrentQueue<string> left) : IKeyReader
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
                    if (!left.TryDequeue(out string? path)) return batch.Count > 0;
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
