using Faster.Contracts;
using Faster.Epochs;
using Faster.Index.Entries;
using Faster.Operations.Waiting;
using Faster.Probes;

namespace Faster.Tests.Index.Entries;

/// <summary>One thread's way to the entries of an index of either kind: step by step, or to the end.</summary>
internal abstract unsafe class EntrySession(EpochTable epochs, ITierIndex index) : IDisposable
{
    private const int Unit = 8; // an entry's address is a multiple of it; here all are numbered

    private readonly EpochSlot* _slot = epochs.Acquire("session");
    private EntryRef _held;

    /// <summary>A session of a kind of entries.</summary>
    public static EntrySession Of<TEntries>(EpochTable epochs, ITierIndex index)
        where TEntries : struct, IEntryAccess<TEntries> => new Typed<TEntries>(epochs, index);

    /// <summary>The number of the address that was found.</summary>
    public long Address => _held.Address / Unit;

    /// <summary>Enters the epoch, and finds an entry.</summary>
    public Outcome Begin(ulong hash)
    {
        epochs.Enter(_slot);
        Outcome located = Locate(hash, out _held);
        return located == Outcome.Ok ? Again() : located;
    }

    /// <summary>Finds the entry again.</summary>
    public Outcome Again() => Find(ref _held);

    /// <summary>Changes the entry as it was found: inserts, replaces, or removes it (0).</summary>
    public Outcome Change(long address) => Change(_held, address);

    /// <summary>Leaves the epoch.</summary>
    public void End()
    {
        if (_held.Pin >= 0) index.Unpin(_held.Pin);
        epochs.Leave(_slot);
    }

    /// <summary>The address of a hash's entry; 0 when there is none.</summary>
    public long Get(ulong hash)
    {
        long address = 0;
        _ = Run(hash, found =>
        {
            address = Address;
            return found;
        });
        return address;
    }

    /// <summary>Inserts an entry. False: there is one.</summary>
    public bool Insert(ulong hash, long address) =>
        Run(hash, found => found == Outcome.Ok ? Outcome.NotFound : Change(address)) == Outcome.Ok;

    /// <summary>Removes an entry. False: there is none.</summary>
    public bool Remove(ulong hash) =>
        Run(hash, found => found == Outcome.Ok ? Change(0) : Outcome.NotFound) == Outcome.Ok;

    /// <summary>Adds to an entry's address; inserts it if there is none.</summary>
    public void Add(ulong hash, long amount) =>
        Assert.Equal(Outcome.Ok, Run(hash, _ => Change(Address + amount)));

    public void Dispose() => epochs.Release(_slot);

    protected abstract Outcome Locate(ulong hash, out EntryRef entry);

    protected abstract Outcome Find(ref EntryRef entry);

    protected abstract Outcome Change(in EntryRef entry, long address);

    // As an operation does: attempts in the epoch, waits outside.
    private Outcome Run(ulong hash, Func<Outcome, Outcome> step)
    {
        for (;;)
        {
            Outcome outcome = Begin(hash);
            while (outcome <= Outcome.NotFound)
            {
                outcome = step(outcome);
                if (outcome != Outcome.Retry) break;
                outcome = Again();
            }

            End();
            if (outcome <= Outcome.NotFound) return outcome;
            Wait(outcome, hash);
        }
    }

    private void Wait(Outcome outcome, ulong hash)
    {
        if (outcome == Outcome.IndexResizing) _ = index.HelpResize(_slot, out _);
        else if (outcome == Outcome.EntryOnDisk) Read(hash);
        else if (!(Probe.On && Probe.Wait(null))) Thread.Yield();
    }

    private void Read(ulong hash)
    {
        var read = new TaskCompletionSource<Exception?>();
        index.ReadEntry(hash, read.SetResult);
        if (!(Probe.On && Probe.Wait(() => read.Task.IsCompleted)))
            Assert.True(read.Task.Wait(TestBudget.StallTimeout), "The chunk was not read.");
        Assert.Null(read.Task.Result);
    }

    private sealed class Typed<TEntries>(EpochTable epochs, ITierIndex index)
        : EntrySession(epochs, index)
        where TEntries : struct, IEntryAccess<TEntries>
    {
        private readonly TEntries _entries = TEntries.Of(index);

        protected override Outcome Locate(ulong hash, out EntryRef entry) => _entries.Locate(hash, out entry);

        protected override Outcome Find(ref EntryRef entry) => _entries.Find(ref entry);

        protected override Outcome Change(in EntryRef entry, long address) => address == 0 ? _entries.Remove(entry)
            : entry.Exists ? _entries.Replace(entry, address * Unit)
            : _entries.Insert(entry, address * Unit);
    }
}
