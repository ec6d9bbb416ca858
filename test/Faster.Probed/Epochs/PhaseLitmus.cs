using Faster.Commits;
using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Tests.Epochs;

/// <summary>
/// The writer publishes a phase of a commit, and goes on in the action: no reader may be inside by then that takes the
/// store to be at rest.
/// </summary>
/// <param name="quietly">
/// Whether the reader takes it from its quiet epoch, as a hit does, else from the state that it looks at.
/// </param>
internal sealed unsafe class PhaseLitmus(bool quietly) : Litmus
{
    private readonly CommitState _commits = new(1, PendingOrder.Strict, 64);
    private long _version = 1;
    private long _passed;

    protected override void Prepare(EpochSlot* slot)
    {
        Table.Enter(slot);
        slot->Quiet = _commits.Current.Phase == CommitPhase.Rest ? slot->Epoch : 0;
        Table.Leave(slot);
    }

    protected override bool TryTake(EpochSlot* slot)
    {
        if (quietly) return EpochTable.TryEnterQuiet(slot);
        Table.Enter(slot);
        return _commits.Current.Phase == CommitPhase.Rest;
    }

    protected override bool HasRun() => Volatile.Read(ref _passed) == _version;

    protected override void Change(long round)
    {
        _commits.Publish(new SystemState(CommitPhase.InProgress, _version));
        Table.Bump(() => Volatile.Write(ref _passed, _version));
    }

    protected override void EndRound()
    {
        _commits.Publish(new SystemState(CommitPhase.Rest, ++_version));
        Table.Bump(static () => { });
    }
}
