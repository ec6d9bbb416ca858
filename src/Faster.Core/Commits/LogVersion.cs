using Faster.Contracts;
using Faster.Log;

namespace Faster.Commits;

/// <summary>Where the version that is committed begins and ends in a log.</summary>
/// <remarks>Used by whoever commits the log, one commit after another.</remarks>
/// <param name="log">The log.</param>
/// <param name="state">Where sessions read where the next version begins.</param>
internal sealed class LogVersion<TProbe>(PagedLog<TProbe> log, CommitState<TProbe> state)
    where TProbe : struct, IProbe
{
    /// <summary>The lowest valid address, before the version began to end.</summary>
    public long BeginAddress { get; private set; }

    /// <summary>Lh_e: no record of the version lies at or above; on a boundary of sectors.</summary>
    public long EndAddress { get; private set; }

    /// <summary>If it was ended to be frozen: whether no thread can still update its records in place.</summary>
    public bool IsFrozen => TProbe.Has(SeededBug.FoldOverNotFrozen) || log.SafeFrozenAddress >= EndAddress;

    /// <inheritdoc cref="ICommitParticipant.NoteBegin"/>
    public void NoteBegin() => BeginAddress = log.BeginAddress;

    /// <inheritdoc cref="ICommitParticipant.NoteStart"/>
    public void NoteStart() => state.Begin(log.TailAddress);

    /// <summary>Ends the version, of which no operation is left.</summary>
    /// <param name="folds">Whether its records become immutable, and are flushed.</param>
    public void End(bool folds) => EndAddress =
        folds && !TProbe.Has(SeededBug.FoldOverNotFrozen) ? log.FreezeToTail() : log.PadTail();
}
