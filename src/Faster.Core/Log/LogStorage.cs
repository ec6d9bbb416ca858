using Faster.Devices;

namespace Faster.Log;

/// <summary>
/// Where a log's pages lie on a device, whose they are, and which of their records belong to no commit.
/// </summary>
/// <remarks>
/// Every block is of one incarnation, for incarnations begin on boundaries of sectors; a page may hold several. The
/// durable log is never edited: what a recovery has left out (paper 004 §5.5) is known by address and version instead.
/// Thread-safe; <see cref="Restore"/> comes before all use.
/// </remarks>
internal sealed unsafe class LogStorage
{
    private readonly ulong _identity;
    private Incarnation[] _incarnations;
    private AbandonedRange[] _abandoned = [];
    private long _bytesWritten;
    private long _bytesRead;
    private long _reads;

    /// <summary>The place of a log that has not been recovered.</summary>
    /// <param name="device">The device.</param>
    /// <param name="geometry">The mapping from addresses to blocks.</param>
    /// <param name="seal">The store's identity and first incarnation, which every block's checksum covers.</param>
    public LogStorage(Device device, BlockGeometry geometry, BlockSeal seal)
    {
        Device = device;
        Geometry = geometry;
        _identity = seal.Identity;
        _incarnations = [new Incarnation(0, seal.Incarnation)];
    }

    /// <summary>The device.</summary>
    public Device Device { get; }

    /// <summary>The mapping from addresses to blocks.</summary>
    public BlockGeometry Geometry { get; }

    /// <summary>Which incarnation has written which part of the log, ascending; the first begins at 0.</summary>
    public IReadOnlyList<Incarnation> Incarnations => _incarnations;

    /// <summary>From here on everything was written by this process.</summary>
    public long OwnFrom => _incarnations[^1].FromAddress;

    /// <summary>Records that are to be stepped over.</summary>
    public IReadOnlyList<AbandonedRange> Abandoned => _abandoned;

    /// <summary>The bytes written so far.</summary>
    public long BytesWritten => Volatile.Read(ref _bytesWritten);

    /// <summary>The bytes read so far.</summary>
    public long BytesRead => Volatile.Read(ref _bytesRead);

    /// <summary>How many reads have been made.</summary>
    public long Reads => Volatile.Read(ref _reads);

    /// <summary>Takes over what a commit says of the log; before anything is written or read by others.</summary>
    /// <param name="incarnations">Ascending by address, from 0 on; what is written from now on included.</param>
    /// <param name="abandoned">What is to be stepped over.</param>
    public void Restore(IReadOnlyList<Incarnation> incarnations, IReadOnlyList<AbandonedRange> abandoned)
    {
        if (incarnations.Count == 0 || incarnations[0].FromAddress != 0)
            throw new ArgumentException("The first incarnation begins at address 0.", nameof(incarnations));
        for (int i = 1; i < incarnations.Count; i++)
        {
            if (incarnations[i].FromAddress <= incarnations[i - 1].FromAddress)
                throw new ArgumentException("Incarnations ascend by address.", nameof(incarnations));
        }

        _incarnations = [.. incarnations];
        _abandoned = [.. abandoned];
    }

    /// <summary>What the block that holds an address is sealed with.</summary>
    public BlockSeal SealOf(long address) => new(_identity, _incarnations[IndexOf(address)].Number);

    /// <summary>Whether a record counts for nothing and is stepped over: by address, or by its own mark.</summary>
    public bool IsAbandoned(long address, ulong header)
    {
        if ((header & RecordHeader.Invalid) != 0) return true;
        if (MergeRecord.Is(header)) return false;
        foreach (AbandonedRange range in _abandoned)
        {
            if (address >= range.FromAddress && address < range.ToAddress
                && RecordHeader.VersionCode(header) == range.Version) return true;
        }

        return false;
    }

    /// <summary>Begins to read what the device has of a range of one page.</summary>
    /// <param name="request">Is told when it is there.</param>
    /// <param name="extent">The range.</param>
    /// <param name="buffer">Room for all that is transferred.</param>
    public void BeginRead(LogRequest request, in BlockExtent extent, byte* buffer)
    {
        (request.Kind, request.Offset, request.Length) = (IoKind.Read, extent.Offset, extent.Length);
        request.Buffer = buffer;
        CountRead(request.Length);
        IoRequest io = request;
        Device.Submit(new ReadOnlySpan<IoRequest>(ref io));
    }

    /// <summary>Verifies what was read of a range of one page, and puts it together in place.</summary>
    /// <returns>The first byte of the range.</returns>
    /// <exception cref="DamagedDataException">A block is not what was written.</exception>
    public byte* Decode(in BlockExtent extent, byte* buffer)
    {
        Decode(extent.FirstBlock, extent.BlockCount, buffer + extent.BlocksAt, buffer);
        return buffer + extent.Skip;
    }

    /// <summary>Verifies blocks of one page and puts their payloads together.</summary>
    /// <param name="firstBlock">The index of the first on the device.</param>
    /// <param name="blocks">How many.</param>
    /// <param name="source">The blocks.</param>
    /// <param name="destination">Room for 504 bytes a block; may be <paramref name="source"/> itself.</param>
    /// <exception cref="DamagedDataException">A block is not what was written.</exception>
    public void Decode(long firstBlock, int blocks, byte* source, byte* destination)
    {
        while (blocks > 0)
        {
            int run = RunOf(firstBlock, blocks, out BlockSeal seal);
            if (!BlockFormat.TryDecode(seal, firstBlock, source, run, destination, out long damaged))
                throw Damaged(damaged);
            firstBlock += run;
            blocks -= run;
            source += (long)run * BlockFormat.BlockSize;
            destination += (long)run * BlockFormat.Payload;
        }
    }

    /// <summary>Counts a write.</summary>
    public void CountWrite(int bytes) => Interlocked.Add(ref _bytesWritten, bytes);

    /// <summary>Counts a read.</summary>
    public void CountRead(int bytes)
    {
        Interlocked.Increment(ref _reads);
        Interlocked.Add(ref _bytesRead, bytes);
    }

    /// <summary>The error for a block that is not what was written.</summary>
    public DamagedDataException Damaged(long block)
    {
        (string place, long offset) = Device.Locate(block * BlockFormat.BlockSize);
        return new DamagedDataException(
            $"A block of the log at byte {offset:N0} of '{place}' is damaged: its checksum, place or owner is wrong. "
            + "Operations on keys in it fail, all others go on; restore the store from a copy.")
        {
            Path = place,
            Offset = offset,
        };
    }

    /// <summary>The error for an address where no record is.</summary>
    public DamagedDataException NoRecord(long address, ulong header)
    {
        (string place, long offset) = Device.Locate(Geometry.Map(address, 1, Device.SectorSize).Offset);
        return new DamagedDataException(
            $"There is no record at address {address:N0} of the log, from byte {offset:N0} of '{place}' on "
            + $"(header 0x{header:x16}). The log is damaged; restore the store from a copy.")
        {
            Path = place,
            Offset = offset,
        };
    }

    private int IndexOf(long address)
    {
        int last = _incarnations.Length - 1;
        if (address >= _incarnations[last].FromAddress) return last;
        int first = 0;
        while (first < last - 1)
        {
            int middle = (first + last) / 2;
            if (address >= _incarnations[middle].FromAddress) first = middle;
            else last = middle;
        }

        return first;
    }

    private int RunOf(long block, int blocks, out BlockSeal seal)
    {
        // Blocks that only fill a page up are of the incarnation that wrote the page's last byte.
        (long page, long inPage) = Math.DivRem(block, Geometry.BlocksPerPage);
        long address = (page << Geometry.PageBits) + Math.Min(inPage * BlockFormat.Payload, Geometry.PageBytes - 1);
        int index = IndexOf(address);
        seal = new BlockSeal(_identity, _incarnations[index].Number);
        if (index == _incarnations.Length - 1) return blocks;
        long next = Geometry.Map(_incarnations[index + 1].FromAddress, 1, BlockFormat.BlockSize).FirstBlock;
        return (int)Math.Min(blocks, next - block);
    }
}
