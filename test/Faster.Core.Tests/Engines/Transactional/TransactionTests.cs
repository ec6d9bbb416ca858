using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional;

/// <summary>What a transaction does with its records, for each way in which it ends.</summary>
public sealed class TransactionTests
{
    [Fact]
    public void A_transaction_changes_all_of_its_records_or_none()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        _ = session.Put(1, 100);
        Assert.Equal(TransactionStatus.Committed, session.Transfer(1, 2, 30));
        Assert.Equal([70, 30], session.ReadAll(1, 2));
        Assert.Equal(TransactionStatus.Aborted, session.Transfer(1, 2, 71));
        Assert.Throws<InvalidOperationException>(() => session.Run([1, 2, 3], [], static records =>
        {
            records.Write<long>(0) = 0;
            records.Write<long>(2) = 9;
            throw new InvalidOperationException();
        }));
        Assert.Equal([70, 30, -1], session.ReadAll(1, 2, 3));
        Assert.Equal((2, 2, 1), (store.Statistics.Records, store.Statistics.Committed - 1, store.Statistics.Aborted));
    }

    [Theory]
    [InlineData(true, RecordChange.Set, true)]
    [InlineData(true, RecordChange.Set, false)]
    [InlineData(true, RecordChange.Delete, true)]
    [InlineData(true, RecordChange.Delete, false)]
    [InlineData(true, RecordChange.None, true)]
    [InlineData(false, RecordChange.Set, true)]
    [InlineData(false, RecordChange.Set, false)]
    [InlineData(false, RecordChange.Delete, true)]
    [InlineData(false, RecordChange.Delete, false)]
    [InlineData(false, RecordChange.None, true)]
    public void Each_change_of_a_record_that_is_there_or_not(bool exists, RecordChange change, bool commits)
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        if (exists) _ = session.Put(1, 5);
        TransactionStatus status = session.Run([1], [2], records =>
        {
            Assert.Equal(exists, records.Exists(0));
            Assert.Equal(exists ? 5 : 0, records.Read<long>(0));
            Assert.False(records.Exists(1));
            Assert.Equal(0, records.Read<long>(1));
            if (change == RecordChange.Set) records.Write<long>(0)++;
            if (change == RecordChange.Delete) records.Delete(0);
            return commits;
        });
        Assert.Equal(commits ? TransactionStatus.Committed : TransactionStatus.Aborted, status);
        long? before = exists ? 5 : null;
        long? after = change switch
        {
            RecordChange.Set => (before ?? 0) + 1, RecordChange.Delete => null, _ => before,
        };
        Assert.Equal(commits ? after : before, session.Get(1));
        Assert.Null(session.Get(2));
        Assert.Equal((commits ? after : before) is null ? 0 : 1, store.Statistics.Records);
    }

    [Fact]
    public void Equal_keys_are_one_record_with_the_stronger_access()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        Assert.Equal(TransactionStatus.Committed, session.Run([7, 8, 7], [8, 7], static records =>
        {
            Assert.Equal(2, records.Count);
            Assert.Equal(records.PlaceOf(0), records.PlaceOf(4));
            records.Write<long>(0) += 1;
            records.Write<long>(2) += 10;
            records.Write<long>(1) = records.Read<long>(4);
            return true;
        }));
        Assert.Equal([11, 11], session.ReadAll(7, 8));
    }

    [Fact]
    public void A_transaction_may_have_no_key_or_a_thousand()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession();
        Assert.Equal(TransactionStatus.Committed, session.Run([], [], static _ => true));
        long[] keys = [.. Enumerable.Range(0, 1000).Select(static key => (long)key)];
        for (int round = 1; round <= 2; round++)
        {
            Assert.Equal(TransactionStatus.Committed, session.Run(keys, [], records =>
            {
                for (int i = 0; i < keys.Length; i++) records.Write<long>(i) += keys[i];
                return true;
            }));
            Assert.Equal(keys.Select(key => key * round), session.ReadAll(keys));
        }
    }

    [Fact]
    public void Values_of_variable_length_grow_shrink_come_and_go_together()
    {
        using TransactionalStore store = TransactionCalls.Open(schema: TransactionCalls.BytesSchema);
        using TransactionalSession session = store.StartSession();
        long[] keys = [.. Enumerable.Range(0, 8).Select(static key => (long)key)];
        byte[]?[] expected = new byte[]?[keys.Length];
        var random = new Random(5);
        for (int round = 0; round < 2_000; round++)
        {
            byte[]?[] next = [.. expected];
            for (int i = 0; i < keys.Length; i++)
            {
                if (random.Next(3) == 0) continue;
                next[i] = random.Next(4) == 0 ? null : new byte[random.Next(300)];
                random.NextBytes(next[i] ?? []);
            }

            bool commits = random.Next(4) != 0;
            _ = session.RunBytes(keys, records =>
            {
                for (int i = 0; i < keys.Length; i++)
                {
                    Assert.Equal(expected[i] is not null, records.Exists(i));
                    Assert.Equal(expected[i] ?? [], records.Bytes(i));
                    if (next[i] == expected[i]) continue;
                    int from = records.Buffer.Written.Length;
                    if (next[i] is not { } value) records.Delete(i);
                    else System.Buffers.BuffersExtensions.Write(records.Buffer, value);
                    if (next[i] is not null) records.EndValue(i, from);
                }

                return commits;
            });
            if (commits) expected = next;
        }

        Assert.Equal(expected.Count(static value => value is not null), store.Statistics.Records);
    }

    [Fact]
    public void A_full_store_refuses_a_transaction_and_keeps_what_it_has()
    {
        using TransactionalStore store = TransactionCalls.Open(
            new() { MemoryBudget = ByteSize.KiB(512) }, TransactionCalls.BytesSchema);
        using TransactionalSession session = store.StartSession();
        long filled = 0;
        LimitExceededException full = Assert.Throws<LimitExceededException>(() =>
        {
            for (; filled < 1_000; filled++) Write(session, [filled], 1000);
        });
        Assert.Contains("MemoryBudget", full.Message, StringComparison.Ordinal);
        long[] first = [.. Enumerable.Range(0, 99).Select(static key => (long)key)];
        for (int round = 0; round < 3; round++)
        {
            Assert.Throws<LimitExceededException>(() => Write(session, [0, 1, filled, filled + 1, filled + 2], 1000));
            Assert.Throws<LimitExceededException>(() => Write(session, first, 5000));
            Assert.Equal(filled, store.Statistics.Records);
        }

        // Overflow buckets that the index has taken after the records may exceed the budget.
        Assert.InRange(store.Tier.Log.BytesInMemory, 256 << 10, 512 << 10);
        Assert.InRange(store.Statistics.MemoryBytes, 256 << 10, 544 << 10);
        Assert.Throws<LimitExceededException>(() => Write(session, [0], 32 << 20));
        for (long key = 0; key < filled; key++)
        {
            Assert.Equal(TransactionStatus.Committed, session.RunBytes([key], static records =>
            {
                Assert.Equal(1000, records.Bytes(0).Length);
                records.Delete(0);
                return true;
            }));
        }

        for (long key = 0; key < filled * 9 / 10; key++) Write(session, [key], 1000);
        Assert.Equal(filled * 9 / 10, store.Statistics.Records);
    }

    [Fact]
    public Task A_locked_record_is_waited_for_until_an_option_or_the_stall_limit_ends_it() => Guard.RunAsync(() =>
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalStore impatient = TransactionCalls.Open(new() { MaxAttempts = 3 });
        foreach (TransactionalStore one in new[] { store, impatient })
        {
            using TransactionalSession session = one.StartSession();
            _ = session.Put(1, 1);
            using var inside = new ManualResetEventSlim();
            using var leave = new ManualResetEventSlim();
            Task holder = Task.Run(() =>
            {
                using TransactionalSession other = one.StartSession();
                Assert.Equal(TransactionStatus.Committed, other.Run([1], [2], records =>
                {
                    records.Write<long>(0) = 2;
                    inside.Set();
                    leave.Wait();
                    return true;
                }));
            });
            inside.Wait();
            if (one == impatient)
            {
                TransactionBody never = static _ => throw new InvalidOperationException();
                Assert.Equal(TransactionStatus.Conflicted, session.Run([1], [], never));
                Assert.Equal(TransactionStatus.Conflicted, session.Run([], [1], never));
                Assert.Equal(TransactionStatus.Conflicted, session.Run([2], [], never));
                Assert.Equal(9, one.Statistics.Conflicts);
            }
            else
            {
                one.Core.StallLimit = TimeSpan.FromMilliseconds(50);
                foreach (Action blocked in new Action[]
                {
                    () => _ = session.Put(1, 3), () => _ = session.Put(2, 3), () => _ = session.Transfer(1, 4, 1),
                })
                {
                    string message = Assert.Throws<FasterException>(blocked).Message;
                    Assert.Contains("user functions must not wait", message, StringComparison.Ordinal);
                }

                Assert.Null(session.Get(2));
                one.Core.StallLimit = TestBudget.StallTimeout;
            }

            leave.Set();
            Assert.Equal(TransactionStatus.Committed, SpinUntilCommitted(session));
            holder.Wait();
            Assert.Equal([3, -1], session.ReadAll(1, 2));
        }
    });

    [Fact]
    public void A_transaction_is_not_let_in_from_one_of_the_store()
    {
        using TransactionalStore store = TransactionCalls.Open();
        using TransactionalSession session = store.StartSession(), other = store.StartSession();
        foreach (Action inner in new Action[]
        {
            () => _ = session.Transfer(1, 2, 0), () => _ = other.Transfer(1, 2, 0), () => _ = session.Put(1, 1),
            () => other.ReadAll(1), () => store.StartSession(), store.Dispose,
        })
        {
            foreach (long[] written in new long[][] { [1, 2], [] })
                Assert.Throws<SessionMisuseException>(() => session.Run(written, [3], _ =>
                {
                    inner();
                    return true;
                }));
        }

        Assert.Equal(0, store.Statistics.Records);
    }

    private static TransactionStatus SpinUntilCommitted(TransactionalSession session)
    {
        for (; ; )
        {
            TransactionStatus status = session.Run([1], [], static records =>
            {
                records.Write<long>(0)++;
                return true;
            });
            if (status != TransactionStatus.Conflicted) return status;
        }
    }

    private static void Write(TransactionalSession session, long[] keys, int length) =>
        Assert.Equal(TransactionStatus.Committed, session.RunBytes(keys, records =>
        {
            for (int i = 0; i < keys.Length; i++)
            {
                int from = records.Buffer.Written.Length;
                records.Buffer.GetSpan(length)[..length].Fill((byte)keys[i]);
                records.Buffer.Advance(length);
                records.EndValue(i, from);
            }

            return true;
        }));
}
