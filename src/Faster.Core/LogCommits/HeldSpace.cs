using Faster.Checkpoints;
using Faster.Commits;
using Faster.Compaction;
using Faster.Log;
using Faster.Probes;

namespace Faster.LogCommits;

/// <summary>
/// The disk space of a truncated part of a log that a kept commit may still need (docs/internals/truncation.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Whatever a kept commit may need of the log stays on the device.</item>
/// <item>What is pinned by <see cref="TryPin"/> stays there until the pin is disposed of, whatever is committed
/// meanwhile.</item>
/// </list>
/// <para>A reader pins, and then looks at what the kept commits need. A new commit first says what they need from now
/// on; then the space is released up to there, or to the lowest pin (<see cref="DiskSpace"/>). A full fence lies
/// between the two steps of each side (<see cref="LogPins"/>), so a pin that comes too late to be seen finds that it is
/// too late.</para>
/// <para>Thread-safe, except for <see cref="OnPublished"/>, which the coordinator calls.</para>
/// </remarks>
internal sealed class HeldSpace
{
    private readonly DurableLog _log;
    private readonly CommitCatalog _catalog;
    private long _leastBegin; // the lowest begin address of the kept commits

    /// <summary>Makes the account of a log that is new, or has been recovered.</summary>
    public HeldSpace(DurableLog log, CommitCatalog catalog, bool isRecovered)
    {
        (_log, _catalog) = (log, catalog);
        OnPublished();
        if (isRecovered) log.Space.HeldFrom(_leastBegin);
    }

    /// <inheritdoc cref="ICommitParticipant.HasWork"/>
    /// <remarks>True also as long as no commit was made.</remarks>
    public bool HasWork => Volatile.Read(ref _leastBegin) < _log.Pages.BeginAddress;

    /// <summary>
    /// From this address on a kept commit needs the log, so it can be pinned. It may lie below the log's begin. Never
    /// falls.
    /// </summary>
    public long FromAddress => Volatile.Read(ref _leastBegin);

    /// <summary>Pins the log from an address on, which may have been truncated.</summary>
    /// <returns>Null: no kept commit needs the address any more, and its space may be released.</returns>
    public LogPins.Pin? TryPin(long address)
    {
        LogPins.Pin pin = _log.Pages.Pins.Take(address);
        Probe.Point(ProbePoint.RegionMarker);
        if (address >= FromAddress || (Probe.On && Probe.Has(SeededBug.PinWithoutLook))) return pin;
        pin.Dispose();
        return null;
    }

    /// <summary>Takes into account which commits are kept now.</summary>
    public void OnPublished() => Volatile.Write(ref _leastBegin, _catalog.MinBeginOf(_log.Name));

    /// <inheritdoc cref="ICommitParticipant.ReleaseSpace"/>
    public void Release()
    {
        long needed = FromAddress;
        Probe.Point(ProbePoint.RegionMarker);
        _log.Space.Release(needed);
    }
}
