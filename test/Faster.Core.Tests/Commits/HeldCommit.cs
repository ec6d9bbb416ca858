using Faster.Commits;
using Faster.Epochs;
using Faster.Tiers;

namespace Faster.Tests.Commits;

/// <summary>A commit that has begun the next version, and captures nothing before it is let go.</summary>
internal sealed unsafe class HeldCommit : IDisposable
{
    private readonly EpochTable _epochs;
    private readonly Task _commit;
    private EpochSlot* _slot;

    /// <summary>Requests the commit, and waits until the next version has begun.</summary>
    /// <param name="core">What the store's parts share.</param>
    /// <param name="request">Requests it.</param>
    public HeldCommit(StoreCore core, Func<Task> request)
    {
        _epochs = core.Epochs;
        _slot = _epochs.Acquire("held commit");
        _epochs.Enter(_slot);
        _commit = request();
        while (core.Commits.Current.Phase < CommitPhase.InProgress) _epochs.Refresh(_slot);
    }

    /// <summary>Lets the commit go, and waits for it.</summary>
    public void Dispose()
    {
        if (_slot == null) return;
        _epochs.Leave(_slot);
        _epochs.Release(_slot);
        _slot = null;
        _commit.GetAwaiter().GetResult();
    }
}
