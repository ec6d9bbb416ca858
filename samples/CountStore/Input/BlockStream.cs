using System.IO.Compression;

namespace CountStore.Input;

/// <summary>A file's decompressed bytes, block by block, each of which a parser may take in several steps.</summary>
internal sealed class BlockStream : IDisposable
{
    private const int BlockSize = 128 << 10;

    private readonly string _path;
    private readonly FileStream _file;
    private readonly Stream _stream;
    private readonly byte[] _block = new byte[BlockSize];
    private int _at;
    private int _end;

    /// <summary>Opens a file; a name in *.gz is decompressed.</summary>
    /// <exception cref="InputException">There is no such file, or it can't be read.</exception>
    public BlockStream(string path)
    {
        _path = path;
        try
        {
            _file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            string reason = Directory.Exists(path) ? "it is a folder; name a file"
                : path == "-" ? "standard input is not supported; name a file"
                : error.Message;
            throw new InputException($"The input '{path}' can't be opened: {reason}", error);
        }

        if (!_file.CanSeek)
        {
            _file.Dispose();
            throw new InputException(
                $"The input '{path}' is a pipe or a terminal, which can be read only once: write it to a file first.");
        }

        _stream = path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase)
            ? new GZipStream(_file, CompressionMode.Decompress)
            : _file;
    }

    /// <summary>The file's size.</summary>
    public long FileLength => _file.Length;

    /// <summary>How far the file was read.</summary>
    public long FilePosition => _file.Position;

    /// <summary>The bytes of the current block that were not taken yet; a next block's when there are none.</summary>
    /// <returns>Empty at the end of the file.</returns>
    /// <exception cref="InputException">The file can't be read or decompressed.</exception>
    public ReadOnlySpan<byte> Peek()
    {
        if (_at == _end)
        {
            try
            {
                (_at, _end) = (0, _stream.Read(_block));
            }
            catch (Exception error) when (error is IOException or InvalidDataException)
            {
                throw new InputException($"The input '{_path}' can't be read: {error.Message}", error);
            }
        }

        return _block.AsSpan(_at, _end - _at);
    }

    /// <summary>Marks bytes as taken.</summary>
    public void Take(int count) => _at += count;

    /// <inheritdoc/>
    public void Dispose() => _stream.Dispose();
}
