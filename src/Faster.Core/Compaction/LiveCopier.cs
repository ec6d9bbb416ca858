using System.Runtime.ExceptionServices;
using Faster.Contracts;
using Faster.Log;

namespace Faster.Compaction;

/// <summary>
/// Copies the live records of the log's oldest part to the tail (paper 000, App. C, roll to tail; lookup-based, 003
/// §5.2): page by page, each record by a conditional insert.
/// </summary>
/// <remarks>
/// <para>Memory: two pages' copies, one of a chunk, and what a session's pending operations take, however much is
/// compacted. All copies of a page are done before the next page is read.</para>
/// <para>The session is the store's own and carries no number to commits; what is left out of a commit by its version
/// is still there below the begin that the commit has (docs/COMPACTION.md).</para>
/// <para>One run at a time, on one thread, outside every epoch. Nothing is given up here: whatever fails, nothing is
/// lost.</para>
/// </remarks>
internal sealed unsafe class LiveCopier<TProbe>(
    FasterStore<TProbe> store, RecordSchema schema, PagedLog<TProbe> log, LogStorage storage,
    RecordFate<TProbe> fate, GivingUp<TProbe> giving, Func<bool> mustStop)
    where TProbe : struct, IProbe
{
    private const string Owner = "the store's compaction";

    /// <summary>Copies what lives between two addresses that are safe frozen.</summary>
    /// <exception cref="FasterException">A record could not be read, or the log not be written.</exception>
    /// <exception cref="OperationCanceledException">The run was to stop.</exception>
    public CopyTally Run(long from, long until)
    {
        var tally = new CopyTally();
        using var page = new PageCopy<TProbe>(store.Epochs, log, storage, Owner);
        using var large = new LargeCopier<TProbe>(store, log, storage, giving, Owner, CheckStop);
        var session = new FasterSession<TProbe>(store, Owner);
        CollapseRun<TProbe>? collapses = schema.Merger is null
            ? null
            : new CollapseRun<TProbe>(schema, log.Layout, new PartSeals<TProbe>(store.Epochs, log), tally, session);
        _ = TailThrottle.Pass(true);
        try
        {
            for (RecordBoundary at = log.WalkStartOf(from); at.Address < until;)
            {
                RecordWalker walker = page.Walk(ref at, until);
                while (walker.MoveNext()) CopyIfLive(session, walker, large, collapses, tally);
                CompletePending(session); // the page's bytes are lent to them
            }

            giving.RaiseFloorAsync(until).GetAwaiter().GetResult();
            large.CopyStraddling(until, (address, record) =>
            {
                byte* bytes = (byte*)record;
                tally.Examined++;
                CopyIfLive(session, bytes, RecordHeader.Read(bytes), address, large, collapses, tally);
                CompletePending(session); // as above
            });
        }
        finally
        {
            // First, for what is pending may wait for somebody who waits for a record that is sealed still.
            collapses?.LetAllGo();
            EndSession(session);
            _ = TailThrottle.Pass(false);
        }

        return tally;
    }

    /// <summary>Inserts on the run's session; what waits for the disk is told its outcome later.</summary>
    internal static Status Insert<TProtocol, TOperation>(
        FasterSession<TProbe> session, in RecordKey key, ulong hash, ref TOperation operation)
        where TProtocol : struct, IProtocol<TProbe, TOperation>
        where TOperation : struct, IConditionalInsert
    {
        Outcome outcome = session.Runner.TryOnce<TProtocol, RecordKey, TOperation>(key, hash, ref operation, null);
        return session.Runner.Persist<TProtocol, RecordKey, TOperation>(key, hash, ref operation, outcome);
    }

    private void CopyIfLive(
        FasterSession<TProbe> session, in RecordWalker walker, LargeCopier<TProbe> large,
        CollapseRun<TProbe>? collapses, CopyTally tally)
    {
        CheckStop();
        tally.Examined++;
        large.Pass(walker);
        CopyIfLive(session, walker.Record, walker.Header, walker.Address, large, collapses, tally);
    }

    // The record lies in a copy of its page, which does not move: pointers into it outlive the statement.
    private void CopyIfLive(
        FasterSession<TProbe> session, byte* record, ulong header, long address, LargeCopier<TProbe> large,
        CollapseRun<TProbe>? collapses, CopyTally tally)
    {
        if (!fate.MayLive(address, header)) return;
        if (RecordExpiry.IsDead(log.Layout, record, header, store.Clock.Now)) return;
        ulong hash = log.Layout.Hash(record, store.Seed);
        var key = new RecordKey(record + RecordHeader.Size, log.Layout.KeySlotSize(record), hash);
        if (collapses is not null)
        {
            var collapse = new RecordCollapse<TProbe>(collapses, address, header, record);
            Status merged = Insert<CollapseProtocol<TProbe, RecordCollapse<TProbe>>, RecordCollapse<TProbe>>(
                session, key, hash, ref collapse);
            if (merged != Status.Pending) collapse.Complete(merged, null);
            return;
        }

        ReadOnlySpan<byte> value = log.Layout.Value(record);
        fixed (byte* bytes = value)
        {
            var room = new Span<byte>(bytes, value.Length);
            if (LargeHead.IsIn(header) && !large.TryCopyValue(session, key, hash, address, room, tally)) return;
            var copy = new TailCopy(
                address, RecordFate<TProbe>.FlagsOf(header), log.Layout.Expiry(record), bytes, value.Length,
                log.Layout.RecordSize(record), tally);
            Status status =
                Insert<ConditionalInsertProtocol<TProbe, TailCopy>, TailCopy>(session, key, hash, ref copy);
            if (status != Status.Pending) copy.Complete(status, null);
        }
    }

    private void CheckStop()
    {
        if (mustStop()) throw new OperationCanceledException("The compaction was stopped.");
    }

    // One reason is enough to give up; where several reads have failed it is mostly the same.
    internal static void CompletePending(FasterSession<TProbe> session)
    {
        try
        {
            _ = session.CompletePending(wait: true);
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.InnerExceptions[0]);
        }
    }

    // The page is to stay until nobody refers to it, whatever has failed.
    private void EndSession(FasterSession<TProbe> session)
    {
        try
        {
            session.Dispose();
        }
        catch (Exception e)
        {
            store.OnFault(e); // the run fails already, or has nothing to do with it
        }
    }
}
