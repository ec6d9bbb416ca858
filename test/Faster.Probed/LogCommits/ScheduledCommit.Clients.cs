using System.Globalization;
using System.Runtime.InteropServices;
using Faster.Compaction.Copying;
using Faster.Contracts;
using Faster.Engines;
using Faster.Index.Entries;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Operations.Merging;
using Faster.Tests.Operations;
using Faster.Tests.Operations.Merging;

namespace Faster.Tests.LogCommits;

/// <summary>The sessions, and what they have done.</summary>
internal sealed unsafe partial class ScheduledCommit<TShape>
{
    private sealed class Client(ScheduledCommit<TShape> world, int number)
    {
        private readonly List<(long Serial, long Key, long Amount)> _done = [];
        private readonly List<(long Serial, Look Look)> _looks = [];

        public FasterSession Session { get; } =
            world._store.StartSession(number.ToString(CultureInfo.InvariantCulture));

        public IEnumerable<long> Keys => _done.Select(static operation => operation.Key);

        public long SumOf(long key, long point) =>
            _done.Where(operation => operation.Key == key && operation.Serial <= point).Sum(static o => o.Amount);

        public bool HasSeenNoneUpTo(long point) =>
            _looks.Any(look => look.Serial <= point && look.Look.Status == Status.NotFound);

        public void Add(long key)
        {
            long amount = NextAmount();
            var operation = new ProbedOperations.Add<TShape>(amount, 8);
            Status status = Session.Rmw(new ChainKey(key), ref operation);
            Assert.True(status is Status.Ok or Status.Created or Status.Pending, $"{status}");
            _done.Add((Session.SerialNumber, key, amount));
        }

        public void Put(long key, ulong hash)
        {
            long amount = NextAmount();
            var operation = new PlainOperations.Upsert(SumOf(key, long.MaxValue) + amount);
            if (hash != ChainKey.OneHash) world._putHashes.Add(hash);
            Assert.True(Session.Upsert(new ChainKey(key, hash), ref operation) is Status.Ok or Status.Pending);
            _done.Add((Session.SerialNumber, key, amount));
            Complete();
        }

        public void AddBatch(bool asOne, long[] keys)
        {
            long before = Session.SerialNumber;
            var amounts = new long[keys.Length];
            for (int i = 0; i < keys.Length; i++) amounts[i] = NextAmount(ahead: i);
            var batch = new Batch(keys, amounts);
            Session.RmwBatch<ChainKey, ProbedOperations.Add<TShape>, Batch>(ref batch, asOne ? before + 1 : null);
            for (int i = 0; i < keys.Length; i++)
                _done.Add((asOne ? before + 1 : before + 1 + i, keys[i], amounts[i]));
        }

        public void AddUnit(bool completes, long[] keys)
        {
            long number = Session.SerialNumber + 10;
            using CommitUnit unit = Session.BeginUnit(number);
            foreach (long key in keys)
            {
                long amount = NextAmount();
                var operation = new ProbedOperations.Add<TShape>(amount, 8);
                Assert.NotEqual(Status.NotFound, Session.Rmw(new ChainKey(key), ref operation));
                _done.Add((number, key, amount));
            }

            if (completes) unit.Complete();
        }

        public void Read(long key)
        {
            var look = new Look();
            var operation = new ProbedOperations.Get<TShape> { Told = look };
            Status status = Session.Read(new ChainKey(key), ref operation);
            if (status != Status.Pending) look.Status = status;
            _looks.Add((Session.SerialNumber, look));
            Complete();
        }

        public void Copy(long key, long address)
        {
            byte[] record = GC.AllocateArray<byte>(RecordSize, pinned: true);
            world._host.Record(address, RecordSize).CopyTo(record, 0);
            Assert.Equal(key, BitConverter.ToInt64(record, RecordHeader.Size));
            var name = new RecordKey(
                (byte*)Marshal.UnsafeAddrOfPinnedArrayElement(record, RecordHeader.Size), 8, ChainKey.OneHash);
            byte[] value = record[16..];
            if (TShape.Merges)
            {
                var collapse = new ProbedCollapse(address, value, isDelta: false, world.HeldDeltas);
                _ = CompactionInsert.Run<
                    CollapseAlgorithm<HashEntries, ProbedCollapse>, ProbedCollapse>(
                    Session.Runner, name, ChainKey.OneHash, ref collapse);
            }
            else
            {
                var copy = new ProbedOperations.Copy(address, value);
                _ = CompactionInsert.Run<
                    ConditionalInsertAlgorithm<HashEntries, ProbedOperations.Copy>,
                    ProbedOperations.Copy>(
                    Session.Runner, name, ChainKey.OneHash, ref copy);
            }

            Complete();
        }

        public void Complete() => Assert.True(
            Session.FailedUnit is not null || Session.CompletePending(wait: true), "Operations are pending.");

        private long NextAmount(int ahead = 0) => 1L << ((number * 16) + _done.Count + ahead);
    }

    private readonly struct Batch(long[] keys, long[] amounts) : IBatch<ChainKey, ProbedOperations.Add<TShape>>
    {
        public int Count => keys.Length;

        public ChainKey GetKey(int index) => new(keys[index]);

        public ProbedOperations.Add<TShape> GetOperation(int index) => new(amounts[index], 8);

        public void SetResult(int index, Status status, ref ProbedOperations.Add<TShape> operation) =>
            Assert.True(status is Status.Ok or Status.Created, $"{status}");
    }
}
