using Faster.Analytics.Scans;
using Faster.Contracts;
using Faster.Engines.Transactional.Capture;
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
        void BeginBucket(ulong after);

        /// <summary>Visits a record.</summary>
        /// <returns>False: it has gone, or is locked for long. The bucket is walked again.</returns>
        bool TryVisit(byte* record);

        /// <summary>Ends a bucket. The next one begins at a hash, or there is none: 0.</summary>
        void EndBucket(ulong after);
    }

    ulong ICopyingSession.CopyRecords(ulong from, RecordCopies copies)
    {
        using SessionGate.Call call = BeginCall();
        return Walk(from, new Copier(_table.Layout, copies));
    }

    /// <summary>
    /// Copies the records of some buckets that have no stamp of the next version, which others have captured, and says
    /// after each bucket that nothing of it need be captured any more. No session is of the version being committed.
    /// </summary>
    /// <param name="from">0, or the result of the call before.</param>
    /// <param name="copies">Gets the copies.</param>
    /// <returns>Where to go on; 0 at the end.</returns>
    internal ulong Sweep(ulong from, RecordCopies copies)
    {
        ulong next = LockWord.StampOf(_store.Core.Commits.Current.OperationVersion);
        return Walk(from, new Sweeper(new Copier(_table.Layout, copies, next), _store.Captures));
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
        var backoff = new Backoff(_store.Tier, _captures);
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
        visitor.BeginBucket(walk.After);
        while (walk.MoveNext())
            if (!visitor.TryVisit(walk.Record)) return false;
        visitor.EndBucket(walk.After);
        return true;
    }

    // Copies records that do not have a stamp, each as it was at one moment.
    private struct Copier(RecordLayout layout, RecordCopies copies, ulong skipped = NoStamp) : IVisitor
    {
        private int _kept = copies.Bytes;

        public readonly bool IsFull => copies.Bytes >= CopiedBytes;

        public readonly void BeginBucket(ulong after) => copies.Truncate(_kept);

        public readonly bool TryVisit(byte* record)
        {
            ulong* word = RecordTable.WordOf(record);
            for (int i = 0, bytes = copies.Bytes; i < Looks; i++)
            {
                ulong seen = LockWord.Read(word);
                if (LockWord.HasStamp(seen, skipped)) return true;
                if (LockWord.IsGone(seen)) return false;
                if (!LockWord.IsReadable(seen))
                {
                    if (Probe.On) _ = Probe.Wait(() => !LockWord.IsExclusive(word));
                    continue;
                }

                copies.Add(layout.Key(record), layout.Value(record));
                Volatile.ReadBarrier();
                if (LockWord.IsUnchanged(word, seen)) return true;
                copies.Truncate(bytes);
            }

            return false;
        }

        public void EndBucket(ulong after) => _kept = copies.Bytes;
    }

    // Copies what has no stamp of the next version. Why every value of the version is captured: whoever stamps a record
    // captures it while the cursor is below its bucket; and the cursor passes the bucket when each of its records had
    // a stamp, or was copied whole while it had none.
    private struct Sweeper(Copier copier, Captures captures) : IVisitor
    {
        private Copier _copier = copier;

        public readonly bool IsFull => _copier.IsFull;

        public readonly void BeginBucket(ulong after)
        {
            _copier.BeginBucket(after);
            if (Probe.On && Probe.Has(SeededBug.CursorRaisedEarly)) captures.RaiseTo(after);
        }

        public readonly bool TryVisit(byte* record) => _copier.TryVisit(record);

        public void EndBucket(ulong after)
        {
            _copier.EndBucket(after);
            captures.RaiseTo(after);
        }
    }

    private readonly struct Stamper(ulong stamp) : IVisitor
    {
        public bool IsFull => false;

        public void BeginBucket(ulong after)
        {
        }

        public bool TryVisit(byte* record)
        {
            ulong* word = RecordTable.WordOf(record);
            if (LockWord.TryTake(word, isExclusive: false) != Locking.Taken) return false;
            LockWord.Stamp(word, stamp);
            LockWord.Release(word, isExclusive: false);
            return true;
        }

        public void EndBucket(ulong after)
        {
        }
    }
}
