using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Engines;
using Faster.Log;
using Faster.LogSessions.Pending;
using Faster.Probes;
using Faster.Tests.Devices;
using Faster.Tests.Scheduling;

namespace Faster.Tests.LogCommits;

/// <summary>
/// A store as it ships, but small, under a controlled scheduler: its sessions, its I/O thread and its device are
/// threads of a schedule, so that records go to disk and come back at moments that the scheduler chooses.
/// </summary>
/// <remarks>Built, filled and checked by the explorer's thread, which takes the turns of the others then.</remarks>
internal sealed class ScheduledHost : IDisposable
{
    /// <summary>The pages of the log.</summary>
    public const int PageBits = 12, Pages = 4;

    private readonly ScheduledDevice _device;
    private int _running; // clients
    private bool _isInTurn;

    /// <summary>Opens a store with a log of four pages.</summary>
    /// <param name="schema">The shape of its records.</param>
    /// <param name="hasQueues">Whether the device gives sessions queues of their own.</param>
    public ScheduledHost(RecordSchema schema, bool hasQueues)
        : this(new ScheduledHostShape { Schema = schema, HasQueues = hasQueues })
    {
    }

    /// <summary>Opens a store.</summary>
    public ScheduledHost(ScheduledHostShape shape)
    {
        _device = new ScheduledDevice(shape.HasQueues, shape.IsAtOnce ? TakeTurns : null);
        Store = new FasterStore(shape.Blueprint(_device), null, CancellationToken.None);
        if (Store.Tier.IO is IOThread own) own.HeldUpPause = TimeSpan.Zero; // by the clock all could wait for it
        Waits = new ScheduledWaits(Store.Epochs);
        if (Store.Cache is { } cache) cache.Balance = null; // tests say when it begins
        Store.Index.Crowded = Store.Index.Extended = Store.Index.Thinned = null; // no thread resizes it
        ScheduledProbe.WaitAlone(() =>
        {
            _device.TransferOne();
            (Store.Tier.IO as IOThread)?.TakeTurn();
        });
    }

    public FasterStore Store { get; }

    public PagedLog Log => (PagedLog)Store.Log;

    /// <summary>How steps of commits and of truncations wait.</summary>
    public ScheduledWaits Waits { get; }

    /// <summary>
    /// The threads of a schedule: some clients, and beside them the I/O thread and the device, unless all is in memory:
    /// then these have nothing to do.
    /// </summary>
    public Action[] Threads(params Action[] clients)
    {
        if (Log.HeadAddress == PagedLog.FirstAddress) return clients;
        _running = clients.Length;
        return [.. clients.Select(Client), RunIOThread, Transfers];
    }

    /// <summary>Sends everything to disk. Before the threads start.</summary>
    public void Spill()
    {
        long tail = Log.TailAddress;
        _ = Log.ShiftReadOnlyToTail();
        while (Log.HeadAddress < tail)
            if (!Log.TryAllocate(null, 1 << (PageBits - 1), out _)) Log.WaitForSpace();
    }

    /// <summary>The first bytes of a record, from memory or disk.</summary>
    public unsafe byte[] Record(long address, int length)
    {
        if (address >= Log.HeadAddress) return new ReadOnlySpan<byte>(Log.Pointer(address), length).ToArray();
        BlockExtent extent = Store.Tier.Storage!.Geometry.Map(address, length, _device.SectorSize);
        byte[] blocks = _device.Written(extent.Offset, extent.Length).ToArray();
        fixed (byte* at = blocks)
            return new ReadOnlySpan<byte>(Store.Tier.Storage.Decode(extent, at), length).ToArray();
    }

    /// <summary>Waits until the log is on disk up to an address.</summary>
    public Task FlushedAsync(long address) => Waits.UntilAsync(Log.Gate, () => Log.FlushedUntilAddress >= address);

    /// <summary>Makes the device forget what has been truncated and no reader holds.</summary>
    public void Release()
    {
        long begin = Log.BeginAddress;
        Probe.Point(ProbePoint.RegionMarker);
        Store.Reclamation!.Space.Release(begin);
    }

    public void Dispose()
    {
        Store.Dispose();
        ScheduledProbe.WaitAlone(null);
    }

    // By the thread that wakes the I/O thread, one at a time: another wakeup meanwhile makes this one continue.
    private void TakeTurns()
    {
        if (_isInTurn || Store?.Tier.IO is not IOThread ioThread) return;
        _isInTurn = true;
        do ioThread.TakeTurn();
        while (!_device.TakeIdle());
        _isInTurn = false;
    }

    private Action Client(Action client) => () =>
    {
        try
        {
            client();
        }
        finally
        {
            if (--_running == 0) _device.Wake();
        }
    };

    private void RunIOThread()
    {
        while (_running != 0) IOThread.Of(Store.Tier).TakeTurn();
    }

    private void Transfers()
    {
        while (_running != 0)
        {
            _ = Probe.Wait(() => _running == 0 || _device.HasRequests);
            _device.TransferOne();
        }
    }
}
