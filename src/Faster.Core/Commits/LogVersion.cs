using Faster.Invariants;
using Faster.Log;
using Faster.Probes;

namespace Faster.Commits;

/// <summary>The addresses at which the version being committed begins and ends in a log.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <list type="bullet">
/// <item>Begin ≤ End and Lh_s ≤ Lh_e, once the version has ended.</item>
/// <item>Lh_e is a multiple of a sector: the log is flushed up to it without a block of the next version.</item>
/// </list>
/// <para>Used by the log's participant, one commit after another. Not thread-safe.</para>
/// </remarks>
/// <param name="log">The log.</param>
internal sealed class LogVersion(PagedLog log)
{
    /// <summary>The log's begin address before the version began to end.</summary>
    public long BeginAddress { get; private set; }

    /// <summary>Lh_s: no record of the next version lies below this address.</summary>
    public long StartAddress => log.NextVersionStart;

    /// <summary>
    /// Lh_e: no record of the version lies at or above this address, which is a multiple of a sector.
    /// </summary>
    public long EndAddress { get; private set; }

    /// <summary>
    /// If the version was ended by a fold-over: whether no thread can update its records in place any more.
    /// </summary>
    public bool IsImmutable =>
        (Probe.On && Probe.Has(SeededBug.FoldOverNotImmutable)) || log.SafeImmutableAddress >= EndAddress;

    /// <inheritdoc cref="ICommitParticipant.NoteBegin"/>
    public void NoteBegin() => BeginAddress = log.BeginAddress;

    /// <inheritdoc cref="ICommitParticipant.NoteStart"/>
    public void NoteStart() => log.NextVersionStart = log.TailAddress;

    /// <summary>Ends the version; no operation of it is left.</summary>
    /// <param name="folds">Whether its records become immutable and are flushed.</param>
    /// <param name="wakes">Whether the sink is woken to flush them; else the caller does that.</param>
    public void End(bool folds, bool wakes = true)
    {
        if (Probe.On && Probe.Has(SeededBug.FoldOverNotImmutable)) folds = false;
        EndAddress = folds ? log.ShiftReadOnlyToTail(wakes) : log.PadTail();
        Invariant.Check(
            BeginAddress <= EndAddress && StartAddress <= EndAddress,
            $"Begin and Lh_s are at or below Lh_e: {BeginAddress}, {StartAddress}, {EndAddress}");
    }
}
