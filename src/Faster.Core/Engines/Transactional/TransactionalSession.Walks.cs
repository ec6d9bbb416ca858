using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.Transactional.Running;
using Faster.Log.Records;
using Faster.Probes;
using Faster.Sessions;
using Faster.Tables;

namespace Faster.Engines.Transactional;

/// <summary>Walks of the whole table, a bucket in an epoch: scans, and what a commit does.</summary>
public unsafe partial class TransactionalSession
{
    private const int CopiedBytes = 64 << 10, BucketsAtOnce = 256, Looks = 64;
    private const ulong NoStamp = ulong.MaxValue;

    /// <summary>What a walk does with each record.</summary>
    private interface IVisitor
    {
        /// <summary>Whether the walk should rest after a bucket.</summary>
        bool IsFull { get; }

        /// <summary>Begins a bucket, or begins it again: what was done with its records counts no more.</summary>
        void BeginBucket();

        /// <summary>Visits a record.</summary>
        /// <returns>False: it has gone, or is locked for long. The bucket is walked again.</returns>
        bool TryVisit(byte* record);

        /// <summary>Ends a bucket.</summary>
        void EndBucket();
    }

    ulong ICopyingSession.CopyRecords(ulong from, RecordCopies copies)
    {
        using SessionGate.Call call = BeginCall();
        return Walk(from, new Copier(_table.Layout, copies));
    }

    /// <summary>
    /// Captures the records of some buckets that have no stamp of the next version: the others have been captured. No
    /// session is of the version being committed.
    /// </summary>
    /// <param name="from">0, or the result of the call before.</param>
    /// <param name="copies">Gets the copies.</param>
    /// <returns>Where to go on; 0 at the end.</returns>
    internal ulong Sweep(ulong from, RecordCopies copies)
    {
        ulong next = LockWord.StampOf(_store.Core.Commits.Current.OperationVersion);
        return Walk(from, new Copier(_table.Layout, copies, next));
    }

    /// <summary>Gives all records of some buckets a stamp.</summary>
    /// <param name="from">0, or the result of the call before.</param>
    /// <param name="stamp">The stamp.</param>
    /// <returns>Where to go on; 0 at the end.</returns>
    internal ulong Stamp(ulong from, ulong stamp) => Walk(from, new Stamper(stamp));

    private ulong Walk<TVisitor>(ulong from, TVisitor visitor)
        where TVisitor : struct, IVisitor
    {
        for (int i = 0; i < BucketsAtOnce; i++)
        {
            from = WalkBucket(from, ref visitor);
            if (from == 0 || visitor.IsFull) break;
        }

        return from;
    }

    private ulong WalkBucket<TVisitor>(ulong from, ref TVisitor visitor)
        where TVisitor : struct, IVisitor
    {
        var backoff = NewBackoff();
        for (; ; )
        {
            EnterQuietly(mutates: false);
            Outcome outcome;
            try
            {
                outcome = BucketWalk.TryBegin(_table, from, out BucketWalk walk);
                if (outcome == Outcome.Ok)
                {
                    bool isDone = TryWalk(ref walk, ref visitor);
                    walk.End();
                    if (isDone) return walk.After;
                    outcome = Outcome.Retry;
                }
            }
            finally
            {
                Epochs.Leave(Slot);
                GC.KeepAlive(this); // the slot is this session's
            }

            backoff.Wait(outcome, Slot);
        }
    }

    private static bool TryWalk<TVisitor>(scoped ref BucketWalk walk, ref TVisitor visitor)
        where TVisitor : struct, IVisitor
    {
        visitor.BeginBucket();
        while (walk.MoveNext())
            if (!visitor.TryVisit(walk.Record)) return false;
        visitor.EndBucket();
        return true;
    }

    // Copies records, each as it was at one moment; or gives all that lack it a stamp, and copies these.
    private struct Copier(RecordLayout layout, RecordCopies copies, ulong stamp = NoStamp) : IVisitor
    {
        private int _kept = copies.Bytes;

        public readonly bool IsFull => copies.Bytes >= CopiedBytes;

        public readonly void BeginBucket()
        {
            if (stamp == NoStamp) copies.Truncate(_kept); // what was given a stamp is not met again
        }

        public readonly bool TryVisit(byte* record)
        {
            ulong* word = RecordTable.WordOf(record);
            for (int i = 0, bytes = copies.Bytes; i < Looks; i++)
            {
                ulong seen = LockWord.Read(word);
                if (LockWord.HasStamp(seen, stamp)) return true;
                if (LockWord.IsGone(seen)) return false;
                if (!LockWord.IsReadable(seen))
                {
                    _ = Probe.On && Probe.Wait(() => !LockWord.IsExclusive(word));
                    continue;
                }

                copies.Add(layout.Key(record), layout.Value(record));
                Volatile.ReadBarrier();
                bool isWhole = stamp == NoStamp
                    ? LockWord.IsUnchanged(word, seen)
                    : LockWord.TryStamp(word, seen, stamp);
                if (isWhole || (Probe.On && Probe.Has(SeededBug.SweptWhileChanged))) return true;
                copies.Truncate(bytes);
            }

            return false;
        }

        public void EndBucket() => _kept = copies.Bytes;
    }

    private readonly struct Stamper(ulong stamp) : IVisitor
    {
        public bool IsFull => false;

        public void BeginBucket()
        {
        }

        public bool TryVisit(byte* record) => LockWord.TryRestamp(RecordTable.WordOf(record), stamp);

        public void EndBucket()
        {
        }
    }
}
