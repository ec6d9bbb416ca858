using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Invariants;
using Faster.Log.Records;

namespace Faster.Log;

/// <summary>
/// Where a log's pages lie on a device, which incarnation wrote them, and which of their records belong to no commit.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Every block belongs to one incarnation, because incarnations begin on boundaries of sectors; a page may hold
/// several. They ascend by address, from 0 on.</item>
/// <item>This process writes at or above <see cref="OwnFrom"/> only.</item>
/// <item>The durable log is never edited: records that a recovery has discarded (paper 004 §5.5) are known by address
/// and version instead.</item>
/// </list>
/// <para>Thread-safe; <see cref="Restore"/> comes before all other use.</para>
/// </remarks>
internal sealed unsafe class LogStorage
{
    private readonly ulong _identity;
    private Incarnation[] _incarnations;
    private DiscardedRange[] _discarded = [];
    private long _bytesWritten;
    private long _bytesRead;
    private long _reads;

    /// <summary>Describes a log that has not been recovered.</summary>
    /// <param name="device">The device.</param>
    /// <param name="geometry">The mapping from addresses to blocks.</param>
    /// <param name="identity">The store's identity and first incarnation, which every block's checksum covers.</param>
    public LogStorage(Device device, BlockGeometry geometry, BlockIdentity identity)
    {
        Device = device;
        Geometry = geometry;
        _identity = identity.Identity;
        _incarnations = [new Incarnation(0, identity.Incarnation)];
    }

    /// <summary>The device that holds the log's blocks.</summary>
    public Device Device { get; }

    /// <summary>The mapping from addresses to blocks.</summary>
    public BlockGeometry Geometry { get; }

    /// <summary>Which incarnation wrote which part of the log, ascending; the first begins at 0.</summary>
    public IReadOnlyList<Incarnation> Incarnations => _incarnations;

    /// <summary>This process wrote everything from this address on.</summary>
    public long OwnFrom => _incarnations[^1].FromAddress;

    /// <summary>The ranges whose records are skipped.</summary>
    public IReadOnlyList<DiscardedRange> Discarded => _discarded;

    /// <summary>The bytes written since this object was created.</summary>
    public long BytesWritten => Volatile.Read(ref _bytesWritten);

    /// <summary>The bytes read since this object was created.</summary>
    public long BytesRead => Volatile.Read(ref _bytesRead);

    /// <summary>The number of reads since this object was created.</summary>
    public long Reads => Volatile.Read(ref _reads);

    /// <summary>Restores what a commit says about the log; before other threads write or read.</summary>
    /// <param name="incarnations">Ascending by address, from 0 on, including the one of subsequent writes.</param>
    /// <param name="discarded">The ranges whose records are skipped.</param>
    public void Restore(IReadOnlyList<Incarnation> incarnations, IReadOnlyList<DiscardedRange> discarded)
    {
        if (incarnations.Count == 0 || incarnations[0].FromAddress != 0)
            throw new ArgumentException("The first incarnation begins at address 0.", nameof(incarnations));
        for (int i = 1; i < incarnations.Count; i++)
        {
            if (incarnations[i].FromAddress <= incarnations[i - 1].FromAddress)
                throw new ArgumentException("Incarnations ascend by address.", nameof(incarnations));
        }

        foreach (DiscardedRange range in discarded)
        {
            Invariant.Check(
                range.FromAddress < range.ToAddress && range.Version != 0,
                $"a discarded range holds records of a version: {range}");
        }

        _incarnations = [.. incarnations];
        _discarded = [.. discarded];
    }

    /// <summary>The identity under which the block at an address is checksummed.</summary>
    public BlockIdentity IdentityOf(long address) => new(_identity, _incarnations[IndexOf(address)].Number);

    /// <summary>Whether a record is skipped: its range was discarded, or its header marks it invalid.</summary>
    public bool IsDiscarded(long address, ulong header)
    {
        if ((header & RecordHeader.Invalid) != 0) return true;
        if (ChainJoinRecord.Is(header)) return false;
        foreach (DiscardedRange range in _discarded)
        {
            if (address >= range.FromAddress && address < range.ToAddress
                && RecordHeader.VersionCode(header) == range.Version) return true;
        }

        return false;
    }

    /// <summary>Starts to read the blocks of a range of one page.</summary>
    /// <param name="request">Completed when the blocks have been read.</param>
    /// <param name="extent">The range.</param>
    /// <param name="buffer">Memory for everything that is transferred.</param>
    public void BeginRead(LogRequest request, in BlockExtent extent, byte* buffer)
    {
        (request.Kind, request.Offset, request.Length) = (IOKind.Read, extent.Offset, extent.Length);
        request.Buffer = buffer;
        CountRead(request.Length);
        IORequest io = request;
        Device.SubmitTyped(new ReadOnlySpan<IORequest>(ref io));
    }

    /// <summary>Verifies the blocks of a range of one page, and joins their payloads in place.</summary>
    /// <returns>The first byte of the range.</returns>
    /// <exception cref="DamagedDataException">A block differs from what was written.</exception>
    public byte* Decode(in BlockExtent extent, byte* buffer)
    {
        Decode(extent.FirstBlock, extent.BlockCount, buffer + extent.BlocksAt, buffer);
        return buffer + extent.Skip;
    }

    /// <summary>Verifies the blocks of a range of one page, and copies the range.</summary>
    /// <param name="extent">The range.</param>
    /// <param name="buffer">What was read; its first and its last block may be overwritten.</param>
    /// <param name="destination">Memory for the range alone, elsewhere.</param>
    /// <param name="length">The length of the range in bytes.</param>
    /// <exception cref="DamagedDataException">A block differs from what was written.</exception>
    public void DecodeTo(in BlockExtent extent, byte* buffer, byte* destination, int length)
    {
        long block = extent.FirstBlock;
        byte* source = buffer + extent.BlocksAt;
        for (int skip = extent.Skip; length > 0; skip = 0)
        {
            // Blocks of which only a part lies in the range are decoded where they are.
            int whole = skip > 0 ? 0 : length / BlockFormat.Payload, blocks = Math.Max(whole, 1);
            int bytes = Math.Min((blocks * BlockFormat.Payload) - skip, length);
            Decode(block, blocks, source, whole > 0 ? destination : source);
            if (whole == 0) Buffer.MemoryCopy(source + skip, destination, length, bytes);
            block += blocks;
            source += (long)blocks * BlockFormat.BlockSize;
            destination += bytes;
            length -= bytes;
        }
    }

    /// <summary>Verifies blocks of one page and joins their payloads.</summary>
    /// <param name="firstBlock">The index of the first block on the device.</param>
    /// <param name="blocks">The number of blocks.</param>
    /// <param name="source">The blocks.</param>
    /// <param name="destination">Memory for 504 bytes a block; may be <paramref name="source"/> itself.</param>
    /// <exception cref="DamagedDataException">A block differs from what was written.</exception>
    public void Decode(long firstBlock, int blocks, byte* source, byte* destination)
    {
        while (blocks > 0)
        {
            int run = RunOf(firstBlock, blocks, out BlockIdentity identity);
            if (!BlockFormat.TryDecode(identity, firstBlock, source, run, destination, out long damaged))
                throw Damaged(damaged);
            firstBlock += run;
            blocks -= run;
            source += (long)run * BlockFormat.BlockSize;
            destination += (long)run * BlockFormat.Payload;
        }
    }

    /// <summary>Adds a write of a number of bytes to the statistics.</summary>
    public void CountWrite(int bytes) => Interlocked.Add(ref _bytesWritten, bytes);

    /// <summary>Adds a read of a number of bytes to the statistics.</summary>
    public void CountRead(int bytes)
    {
        Interlocked.Increment(ref _reads);
        Interlocked.Add(ref _bytesRead, bytes);
    }

    /// <summary>Makes the exception for a block that differs from what was written.</summary>
    public DamagedDataException Damaged(long block)
    {
        (string place, long offset) = Device.Locate(block * BlockFormat.BlockSize);
        return new DamagedDataException(
            $"A block of the log at byte {offset:N0} of '{place}' is damaged: its checksum, place or owner is wrong. "
            + "Operations on keys in it fail, all others continue; restore the store from a copy.")
        {
            Path = place,
            Offset = offset,
        };
    }

    /// <summary>Makes the exception for an address that holds no record.</summary>
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

    private int RunOf(long block, int blocks, out BlockIdentity identity)
    {
        // Blocks that only pad the page belong to the incarnation that wrote the page's last byte.
        (long page, long inPage) = Math.DivRem(block, Geometry.BlocksPerPage);
        long address = (page << Geometry.PageBits) + Math.Min(inPage * BlockFormat.Payload, Geometry.PageBytes - 1);
        int index = IndexOf(address);
        identity = new BlockIdentity(_identity, _incarnations[index].Number);
        if (index == _incarnations.Length - 1) return blocks;
        long next = Geometry.Map(_incarnations[index + 1].FromAddress, 1, BlockFormat.BlockSize).FirstBlock;
        return (int)Math.Min(blocks, next - block);
    }
}
