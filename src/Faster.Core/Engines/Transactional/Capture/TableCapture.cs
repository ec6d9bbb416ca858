using Faster.Analytics.Scans;

namespace Faster.Engines.Transactional.Capture;

/// <summary>
/// Captures all records of the version being committed: those that sessions capture before they change them, and those
/// that its own sweep finds (paper 004 §4.1).
/// </summary>
/// <remarks>
/// <para>Invariants (docs/internals/transaction-commits.md has the proof):</para>
/// <list type="bullet">
/// <item>Each record of the version is captured once, with its value; and none of a later version.</item>
/// </list>
/// <para>Used by the coordinator alone.</para>
/// </remarks>
/// <param name="store">The store.</param>
/// <param name="write">Takes what was captured; the copies are not valid afterwards.</param>
internal sealed class TableCapture(TransactionalStore store, Action<RecordCopies> write)
{
    private long _version; // being committed

    /// <summary>Begins a commit. All sessions know that it prepares.</summary>
    public void Begin()
    {
        _version = store.Core.Commits.Current.Version;
        store.Captures.Begin();
        store.CommitLog?.BeginVersion(_version + 1); // last, for it can't be taken back
    }

    /// <summary>Sweeps the table. No session is of the version any more.</summary>
    /// <param name="rest">Called between two pieces of work.</param>
    public void Sweep(Action rest)
    {
        var copies = new RecordCopies(store.Tier.Schema);
        using TransactionalSession session = store.StartInternal("a commit");
        ulong from = 0;
        do
        {
            copies.Clear();
            from = session.Sweep(from, copies);
            write(copies);
            WriteCaptured();
            rest();
        }
        while (from != 0);
        store.Captures.EndSweep();
    }

    /// <summary>Takes what is left. All records have the stamp, and no session is left that began before.</summary>
    public void Complete()
    {
        store.Captures.CollectAll();
        WriteCaptured();
    }

    private void WriteCaptured()
    {
        while (store.Captures.TakeFull(_version) is { } part)
        {
            write(part.Copies);
            store.Captures.Release(part);
        }
    }
}
