using Faster.Contracts;
using Faster.Epochs;
using Faster.Index.Resizing;
using Faster.Index.Trimming;
using Faster.Log;

namespace Faster.Tests.Index;

/// <summary>One thread's way to a <see cref="FakeStore"/>.</summary>
internal sealed unsafe class FakeSession(FakeStore store) : IDisposable
{
    private readonly EpochSlot* _slot = store.Epochs.Acquire("session");

    public bool Add(ulong key) => store.Add(_slot, key);

    public bool Remove(ulong key) => store.Remove(_slot, key);

    public bool Contains(ulong key) => store.Contains(_slot, key);

    /// <summary>Resizes the index to the end.</summary>
    public void Resize(ResizeKind kind)
    {
        Assert.True(store.TryStart(kind), $"The index can't be resized: {kind}");
        Drive();
    }

    /// <summary>Stays until no resize is under way.</summary>
    public void Drive() => store.Drive(_slot);

    /// <summary>Gives back the overflow buckets that no chain needs; returns how many.</summary>
    public long Trim(IStepWaits waits)
    {
        Task<long> run = new IndexTrimmer(store.Index, store.Epochs, waits).RunAsync(store.Begin);
        return run.GetAwaiter().GetResult();
    }

    public void Dispose() => store.Epochs.Release(_slot);
}
