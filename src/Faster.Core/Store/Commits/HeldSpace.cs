using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;

namespace Faster.Store.Commits;

/// <summary>
/// The disk space of a truncated part of a log that a kept commit may still need (docs/internals/truncation.md).
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Whatever a kept commit may need of the log stays on the device.</item>
/// </list>
/// <para>Thread-safe, except for <see cref="OnPublished"/>, which the coordinator calls.</para>
/// </remarks>
internal sealed class HeldSpace<TProbe>
    where TProbe : struct, IProbe
{
    private readonly DurableLog<TProbe> _log;
    private readonly CommitCatalog _catalog;
    private long _leastBegin; // the lowest begin address of the kept commits

    /// <summary>Makes the account of a log that is new, or has been recovered.</summary>
    public HeldSpace(DurableLog<TProbe> log, CommitCatalog catalog, bool isRecovered)
    {
        (_log, _catalog) = (log, catalog);
        OnPublished();
        if (isRecovered) log.Space.HeldFrom(_leastBegin);
    }

    /// <inheritdoc cref="ICommitParticipant.HasWork"/>
    /// <remarks>True also as long as no commit was made.</remarks>
    public bool HasWork => Volatile.Read(ref _leastBegin) < _log.Pages.BeginAddress;

    /// <summary>Takes into account which commits are kept now.</summary>
    public void OnPublished() => Volatile.Write(ref _leastBegin, _catalog.MinBeginOf(_log.Name));

    /// <inheritdoc cref="ICommitParticipant.ReleaseSpace"/>
    public void Release() =>
        _log.Space.Release(Math.Min(Volatile.Read(ref _leastBegin), _log.Pages.Pins.LowestPinned));
}
