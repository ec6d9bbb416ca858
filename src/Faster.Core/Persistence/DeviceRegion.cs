using System.Runtime.ExceptionServices;
using Faster.Devices;
using Faster.Invariants;
using Faster.Memory;

namespace Faster.Persistence;

/// <summary>
/// A region in native memory over a <see cref="Device"/>: a fence writes the flushed sectors and syncs the device.
/// </summary>
/// <remarks>
/// <para>Unlike a mapped file it reports a failed read as an exception, bypasses the system's cache where the device
/// does, and runs over every device, including those that inject faults and model power cuts. All of it is in
/// memory.</para>
/// <para>A sector is written whole, with whatever it holds beside the flushed bytes. What was fenced in it before stays
/// the same or was stored over by the program, so a sector that the disk writes atomically loses nothing. The sectors
/// of a fence are disjoint and copied first: no two writes of a sector are under way, and no buffer changes
/// meanwhile.</para>
/// <para>Invariants, besides those of <see cref="RangeRegion"/>:</para>
/// <list type="bullet">
/// <item>The region owns the device: no other code submits to it.</item>
/// <item>Every request of a batch is back before the buffer is used again.</item>
/// <item>A transfer lies inside the region and crosses no multiple of the largest transfer.</item>
/// </list>
/// <para>A failed write is as fatal as a failed sync, since the space was allocated when the region was created.
/// Thread-safe as <see cref="PersistentRegion"/> requires.</para>
/// </remarks>
internal sealed unsafe class DeviceRegion : RangeRegion
{
    /// <summary>By default no transfer crosses a multiple of this, in bytes.</summary>
    public const int DefaultTransfer = 64 << 10;

    private const int BufferBytes = 256 << 10;
    private const int BatchLimit = 32;
    private static readonly TimeSpan LookAgainAfter = TimeSpan.FromSeconds(1);

    private readonly Device _device;
    private readonly NativeBlock _memory;
    private readonly NativeBlock _buffer;
    private readonly List<IORequest> _batch = [];
    private readonly int _maxTransfer;
    private readonly IORequest[] _done = new IORequest[BatchLimit];
    private readonly Action? _verify;
    private int _buffered;

    private DeviceRegion(Device device, long length, int maxTransfer, Action? verify)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxTransfer, device.SectorSize);
        ArgumentOutOfRangeException.ThrowIfNotEqual(maxTransfer & (maxTransfer - 1), 0, nameof(maxTransfer));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        ArgumentOutOfRangeException.ThrowIfNotEqual(length % device.SectorSize, 0, nameof(length));
        (_device, _maxTransfer, _verify) = (device, maxTransfer, verify);
        _memory = new NativeBlock(length);
        _buffer = new NativeBlock(BufferBytes);
        Length = length;
    }

    /// <inheritdoc/>
    public override byte* Pointer => _memory.Pointer;

    /// <inheritdoc/>
    public override long Length { get; }

    /// <inheritdoc/>
    public override string Name => _device.Name;

    /// <inheritdoc/>
    protected override int Unit => _device.SectorSize;

    /// <summary>
    /// Creates a region of zeros, which is durable on return. Takes the device over, unless it throws.
    /// </summary>
    /// <param name="device">An empty device.</param>
    /// <param name="length">The size in bytes, a multiple of the device's sector size.</param>
    /// <param name="maxTransfer">
    /// No transfer crosses a multiple of this, in bytes: a power of two that divides the segments of the device.
    /// </param>
    /// <param name="verify">Throws if what a fence has synced would not be found again.</param>
    /// <exception cref="StorageException">There is no space, or the device fails.</exception>
    public static DeviceRegion Create(
        Device device, long length, int maxTransfer = DefaultTransfer, Action? verify = null)
    {
        var region = new DeviceRegion(device, length, maxTransfer, verify);
        return region.With(static region => region.Persist([new FlushedRange(0, region.Length)]));
    }

    /// <summary>
    /// Reads a region that was created before. What a process wrote that has died before its sync is read, too, and may
    /// not be durable. Takes the device over, unless it throws.
    /// </summary>
    /// <param name="device">The device that holds it.</param>
    /// <param name="length">The size in bytes that it was created with.</param>
    /// <param name="maxTransfer">
    /// No transfer crosses a multiple of this, in bytes: a power of two that divides the segments of the device.
    /// </param>
    /// <param name="verify">Throws if what a fence has synced would not be found again.</param>
    /// <exception cref="DamagedDataException">The device holds fewer bytes.</exception>
    /// <exception cref="StorageException">The device fails.</exception>
    public static DeviceRegion Open(
        Device device, long length, int maxTransfer = DefaultTransfer, Action? verify = null)
    {
        var region = new DeviceRegion(device, length, maxTransfer, verify);
        return region.With(static region => region.Transfer(IOKind.Read, new FlushedRange(0, region.Length)));
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _device.Dispose();
        Free();
    }

    /// <inheritdoc/>
    protected override void Persist(ReadOnlySpan<FlushedRange> ranges)
    {
        foreach (FlushedRange range in ranges) Transfer(IOKind.Write, range);
        Complete();
        _device.SyncTyped();
        _verify?.Invoke();
    }

    private DeviceRegion With(Action<DeviceRegion> transfer)
    {
        try
        {
            transfer(this);
            Complete();
            return this;
        }
        catch
        {
            Free();
            throw;
        }
    }

    private void Transfer(IOKind kind, FlushedRange range)
    {
        for (long at = range.Begin; at < range.End;)
        {
            if (_buffered == BufferBytes || _batch.Count == BatchLimit) Complete();
            long end = Math.Min(range.End, (at & -(long)_maxTransfer) + _maxTransfer);
            int length = (int)Math.Min(end - at, BufferBytes - _buffered);
            Invariant.Check(
                length > 0 && ((at | (long)length) & (Unit - 1)) == 0 && at + length <= Length,
                $"{length} bytes from {at} on are sectors of a region of {Length}; {_buffered} are buffered");
            byte* buffer = _buffer.Pointer + _buffered;
            if (kind == IOKind.Write) Buffer.MemoryCopy(Pointer + at, buffer, length, length);
            _batch.Add(new IORequest { Kind = kind, Offset = at, Length = length, Buffer = buffer });
            _buffered += length;
            at += length;
        }
    }

    // Waits for all of the batch, also when one fails: the buffer is in use until then.
    private void Complete()
    {
        if (_batch.Count == 0) return;
        _device.SubmitTyped([.. _batch]);
        Exception? error = null;
        for (int left = _batch.Count; left != 0;)
        {
            int count = _device.PollTyped(_done);
            if (count == 0) _device.Wait(LookAgainAfter);
            left -= count;
            Invariant.Check(left >= 0, $"a device returns each of {_batch.Count} requests once, not {-left} more");
            foreach (IORequest request in _done.AsSpan(0, count))
            {
                error ??= request.Error;
                if (request.Kind == IOKind.Read)
                    Buffer.MemoryCopy(request.Buffer, Pointer + request.Offset, request.Length, request.Length);
            }
        }

        _batch.Clear();
        _buffered = 0;
        if (error is not null) ExceptionDispatchInfo.Throw(error);
    }

    private void Free()
    {
        _memory.Dispose();
        _buffer.Dispose();
    }
}
