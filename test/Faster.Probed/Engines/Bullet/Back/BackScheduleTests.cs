using Faster.Engines.Bullet.Back;
using Faster.Persistence;
using Faster.Probes;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Engines.Bullet.Back;

/// <summary>
/// Readers of Bullet's back beside batches, and batches beside each other, under controlled schedules.
/// </summary>
public sealed class BackScheduleTests
{
    private const string Wrong = "is not what the key had";
    private const int Most = 400; // counters

    private static readonly BackShape _shape = new(1, BackLayout.PageBytes, WithRedo: true);

    private static readonly ExplorationOptions _sampled =
        new() { Schedules = TestBudget.Times(2000), PreemptionBound = 3 };

    [Fact]
    public void A_reader_beside_a_batch_sees_what_the_key_had() => Explorer.AssertAllClean(() => Reading(Change));

    [Fact]
    public void A_reader_beside_a_block_that_is_freed_and_used_again_sees_what_the_key_had()
    {
        Explorer.AssertAllClean(() => Reading(ChangeAndReuse));
        Explorer.Run(_sampled, () => Reading(ChangeAndReuse, ChangeAndReuse)).AssertClean();
    }

    [Fact]
    public void A_reader_beside_splits_sees_what_the_key_had() =>
        Explorer.Run(_sampled, () => Reading(Split)).AssertClean();

    [Fact]
    public void The_newest_of_two_changes_is_kept() => Explorer.Run(_sampled, static () =>
    {
        BackTable table = Make();
        return new Scenario(
            [() => Put(table, 1, 5), () => Put(table, 1, 4), () => Put(table, 1, 6)],
            () =>
            {
                Assert.Equal(6, Read(table));
                table.Verify();
                table.Dispose();
            });
    }).AssertClean();

    [Fact]
    public void A_read_of_two_states_is_found() =>
        Explorer.Run(_sampled with { Bugs = [SeededBug.ReadOfTwoStates] }, static () => Reading(ChangeAndReuse))
            .AssertFound(Wrong, "damaged");

    // Key 1 always has a value, whose bytes and number agree and never go back.
    private static Scenario Reading(params Action<BackTable>[] writers)
    {
        BackTable table = Make();
        return new Scenario(
            [() =>
            {
                long first = Read(table), second = Read(table);
                if (second < first) throw new InvalidOperationException($"{second} after {first} {Wrong}.");
            }, .. writers.Select(writer => (Action)(() => writer(table)))],
            () =>
            {
                _ = Read(table);
                table.Verify();
                table.Dispose();
            });
    }

    private static BackTable Make()
    {
        BackTable table = TestBack.Open(new EmulatedRegion(1 << 18, TimeSpan.Zero), _shape);
        Put(table, 1, 1);
        Put(table, 2, 2);
        return table;
    }

    private static void Change(BackTable table)
    {
        Put(table, 1, 10);
        Put(table, 1, 11);
    }

    private static void ChangeAndReuse(BackTable table)
    {
        Put(table, 1, 20);
        Put(table, 3, 21); // in the block that key 1 has left
        Put(table, 2, 22);
        Put(table, 1, 23);
    }

    private static void Split(BackTable table)
    {
        using BackBatch batch = table.Parts[0].Begin(1);
        for (long key = 100; key < 100 + (BackLayout.FirstBuckets * 2); key++)
        {
            while (batch.TryPut(TestBack.HashOf(key), TestBack.KeyOf(key), [(byte)key], key) == BackChange.Full)
                batch.Commit();
        }

        batch.Commit();
    }

    private static void Put(BackTable table, long key, long counter)
    {
        using BackBatch batch = table.Parts[0].Begin(1);
        byte[] value = new byte[40];
        Array.Fill(value, (byte)counter);
        _ = batch.TryPut(TestBack.HashOf(key), TestBack.KeyOf(key), value, counter);
        batch.Commit();
    }

    private static long Read(BackTable table)
    {
        var read = new BackValue();
        bool found = table.TryRead(TestBack.HashOf(1), TestBack.KeyOf(1), read);
        if (!found || read.Counter is < 1 or > Most || read.Bytes.Length != 40
            || read.Bytes.IndexOfAnyExcept((byte)read.Counter) >= 0)
            throw new InvalidOperationException($"Change {read.Counter} of {read.Bytes.Length} bytes {Wrong}.");
        return read.Counter;
    }
}
