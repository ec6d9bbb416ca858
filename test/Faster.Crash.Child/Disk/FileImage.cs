namespace Faster.Crash.Disk;

/// <summary>What a file holds: sectors, shared with other images, and a length in bytes.</summary>
/// <remarks>Invariant: bytes at and after the length read as zeros once the file grows. Not thread-safe.</remarks>
internal sealed class FileImage
{
    private readonly List<Sector> _sectors;

    public FileImage()
    {
        _sectors = [];
    }

    private FileImage(FileImage other)
    {
        _sectors = [.. other._sectors];
        Length = other.Length;
    }

    /// <summary>The length of the file in bytes.</summary>
    public long Length { get; private set; }

    /// <summary>How many sectors are held.</summary>
    public int Sectors => _sectors.Count;

    /// <summary>A sector; zeros where there is none.</summary>
    public Sector this[int index]
    {
        get => index < _sectors.Count ? _sectors[index] : default;
        set
        {
            while (_sectors.Count <= index) _sectors.Add(default);
            _sectors[index] = value;
        }
    }

    /// <summary>A copy that shares the sectors.</summary>
    public FileImage Clone() => new(this);

    /// <summary>Cuts or lengthens the file; what is cut off is gone.</summary>
    public void SetLength(long length)
    {
        Length = length;
        int whole = (int)((length + Sector.Size - 1) / Sector.Size);
        if (_sectors.Count > whole) _sectors.RemoveRange(whole, _sectors.Count - whole);
        int rest = (int)(length % Sector.Size);
        if (rest != 0 && _sectors.Count == whole)
            _sectors[^1] = _sectors[^1].With(new byte[Sector.Size - rest], rest);
    }

    /// <summary>Reads bytes below the length.</summary>
    public void Read(Span<byte> into, long offset)
    {
        while (!into.IsEmpty)
        {
            int at = (int)(offset % Sector.Size), count = Math.Min(into.Length, Sector.Size - at);
            this[(int)(offset / Sector.Size)].Bytes.Slice(at, count).CopyTo(into);
            into = into[count..];
            offset += count;
        }
    }

    /// <summary>Writes bytes, which must never change again: whole sectors refer to them.</summary>
    public void Write(byte[] bytes, long offset)
    {
        foreach ((int index, Sector sector) in Cut(bytes, offset, i => this[i])) this[index] = sector;
        Length = Math.Max(Length, offset + bytes.Length);
    }

    /// <summary>All of the bytes.</summary>
    public byte[] ToArray()
    {
        byte[] all = new byte[Length];
        Read(all, 0);
        return all;
    }

    /// <summary>The sectors that result from a write.</summary>
    public static IEnumerable<(int Index, Sector Sector)> Cut(byte[] bytes, long offset, Func<int, Sector> before)
    {
        for (int done = 0; done < bytes.Length;)
        {
            int index = (int)((offset + done) / Sector.Size), at = (int)((offset + done) % Sector.Size);
            int count = Math.Min(bytes.Length - done, Sector.Size - at);
            yield return (index, count == Sector.Size
                ? new Sector(bytes, done)
                : before(index).With(bytes.AsSpan(done, count), at));
            done += count;
        }
    }
}
