namespace Faster.Tests.Checkpoints.Recovery;

/// <summary>Every key is recovered to what its last commit says, from any form of commit, again and again.</summary>
public sealed class LogRecoveryTests
{
    [Fact]
    public void Random_commits_and_crashes_recover_to_the_commit()
    {
        long discarded = 0, onDevice = 0;
        TestSeed.Run(20, seed =>
        {
            (long records, long ranges) = Run(seed);
            discarded += records;
            onDevice += ranges;
        });
        if (TestSeed.IsReplay) return;
        Assert.True(discarded > 0 && onDevice > 0, "No record was left out: the test does not test that.");
    }

    [Fact]
    public void Random_commits_and_crashes_recover_while_the_index_grows_and_shrinks()
    {
        int merges = 0, withIndex = 0, truncated = 0;
        TestSeed.Run(20, seed =>
        {
            using var world = new RecoveryWorld(seed, pages: 6 + (seed % 6)) { Resizes = true };
            _ = Run(world, new Random(seed));
            merges += world.Seen.Merges;
            withIndex += world.Seen.WithIndex;
            truncated += world.Truncated;
        });
        if (TestSeed.IsReplay) return;
        Assert.True(merges > 0 && withIndex > 0, "Nothing was merged, or no checkpoint of the index was used.");
        Assert.True(truncated > 0, "No key was given up.");
    }

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    public void Nothing_but_the_tail_is_kept_in_memory_where_memory_is_small(CommitKind kind)
    {
        using var world = new RecoveryWorld(1, pages: 6);
        for (int i = 0; i < 10; i++) world.Operate(200);
        world.Commit(kind);
        world.CrashAndRecover();
        Assert.True(world.Log.HeadAddress > 5 * 4096);
        Assert.Equal(world.LastCommit.Log.EndAddress, world.Log.TailAddress);
        Assert.Equal(world.LastCommit.Log.EndAddress - 64, world.Result.BytesReplayed);
        world.Check();
        for (int i = 0; i < 10; i++) world.Operate(200); // goes on, and pages leave memory
        world.Check();
    }

    [Fact]
    public void A_checkpoint_of_the_index_shortens_the_replay()
    {
        using var world = new RecoveryWorld(2, pages: 6);
        for (int i = 0; i < 10; i++) world.Operate(200);
        long tail = world.Log.TailAddress;
        world.CheckpointIndex();
        world.Commit(CommitKind.FoldOver);
        world.CrashAndRecover();
        Assert.Equal(world.LastCommit.Log.EndAddress - tail, world.Result.BytesReplayed);
        Assert.True(world.BytesReported < 7 * 4096);
        world.Check();
    }

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    [InlineData(CommitKind.Incremental)]
    public void Records_that_a_recovery_discarded_are_discarded_by_the_next_one_without_a_replay(CommitKind kind)
    {
        long onDevice = 0;
        TestSeed.Run(10, seed =>
        {
            // Few, so that on some pages nothing is left out, but something leads to what is.
            using var world = new RecoveryWorld(seed, pages: 64) { LaterShare = seed % 2 == 0 ? 0.03 : 0.5 };
            world.Operate(200);
            for (int i = 0; i < 3; i++)
            {
                world.Commit(i == 0 ? CommitKind.FoldOver : kind); // beside operations of the next version
                world.CrashAndRecover();
                if (world.Result.Discarded is not null) onDevice++;
                world.Check();
                world.Operate(100);
                world.CheckpointIndex();
            }

            world.Commit(kind);
            world.CrashAndRecover();
            Assert.True(world.Result.BytesReplayed < world.Log.TailAddress / 2);
            world.Check();
        });
        Assert.True(TestSeed.IsReplay || onDevice > 0, "Nothing was left out of the device's part.");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_snapshot_larger_than_memory_is_written_to_the_log(int failures)
    {
        using var world = new RecoveryWorld(3, pages: 16);
        while (world.Log.TailAddress < 8 * 4096) world.Operate(10);
        world.Commit(CommitKind.Snapshot);
        Assert.True(world.LastCommit.Log.FlushedUntilAddress < 9 * 4096);
        world.Pages = 4;
        for (int i = 0; world.Log.TailAddress - world.LastCommit.Log.FlushedUntilAddress < 6 * 4096; i++)
        {
            world.Operate(10);
            world.Commit(CommitKind.Snapshot);
            Assert.True(i < 200);
        }

        for (int write = 1; write <= failures; write++)
        {
            world.Crash();
            world.Device.Arm(
                new FaultPlan { Faults = [new Fault(FaultTarget.Write, write, FaultFlavor.InputOutputError)] });
            Assert.Throws<StorageException>(() => world.Recover());
            world.Device.Arm(FaultPlan.None);
        }

        world.Crash();
        world.Recover();
        Assert.True(world.Log.HeadAddress > world.LastCommit.Log.FlushedUntilAddress + 4096);
        world.Check();
        world.CrashAndRecover(); // of the same commit, over what the first recovery has written
        world.Check();
        for (int i = 0; i < 10; i++) world.Operate(50);
        world.Commit(CommitKind.FoldOver);
        world.CrashAndRecover();
        world.Check();
    }

    [Theory]
    [InlineData(CommitKind.FoldOver)]
    [InlineData(CommitKind.Snapshot)]
    public void A_damaged_block_is_named(CommitKind kind)
    {
        using var world = new RecoveryWorld(4, pages: 6);
        for (int i = 0; i < 10; i++) world.Operate(200);
        world.Commit(kind);
        foreach (int offset in new[] { 700, 50_000, 8192 * 4 + 100 })
        {
            world.Crash();
            world.Device.Arm(new FaultPlan { BitFlips = [new BitFlip(offset, 3)] });
            DamagedDataException damage = Assert.Throws<DamagedDataException>(() => world.Recover());
            Assert.Equal((offset / 512 * 512, "memory"), (damage.Offset, damage.Path));
        }

        world.Crash();
        world.Device.Arm(FaultPlan.None);
        world.Recover();
    }

    [Fact]
    public void A_read_that_fails_ends_the_recovery_and_loses_no_buffer()
    {
        using var world = new RecoveryWorld(5, pages: 6);
        for (int i = 0; i < 10; i++) world.Operate(200);
        world.Commit(CommitKind.FoldOver);
        for (int n = 1; n < 30; n++)
        {
            world.Crash();
            world.Device.Arm(new FaultPlan { Faults = [new Fault(FaultTarget.Read, n)], HoldBack = 3, Seed = n });
            Assert.Throws<StorageException>(() => world.Recover());
        }

        world.Crash();
        world.Device.Arm(new FaultPlan { HoldBack = 10, Seed = 1 }); // pages come in another order
        world.Recover();
        world.Device.Arm(FaultPlan.None);
    }

    [Fact]
    public void A_recovery_can_be_cancelled()
    {
        using var world = new RecoveryWorld(6);
        world.Operate(200);
        world.Commit(CommitKind.FoldOver);
        world.Crash();
        Assert.ThrowsAny<OperationCanceledException>(() => world.Recover(new CancellationToken(true)));
        world.Crash();
        world.Recover();
    }

    [Fact]
    public void An_empty_commit_is_recovered()
    {
        using var world = new RecoveryWorld(7);
        world.Commit(CommitKind.FoldOver);
        world.CrashAndRecover();
        world.Check();
    }

    private static (long Records, long Ranges) Run(int seed)
    {
        var random = new Random(seed);
        using var world = new RecoveryWorld(seed, pages: 6 + random.Next(6));
        return Run(world, random);
    }

    private static (long Records, long Ranges) Run(RecoveryWorld world, Random random)
    {
        long records = 0, ranges = 0;
        for (int crash = 0; crash < 4; crash++)
        {
            for (int commits = random.Next(1, 4); commits > 0; commits--)
            {
                world.Operate(random.Next(300));
                if (random.Next(4) == 0) world.Truncate();
                if (random.Next(3) == 0) world.CheckpointIndex();
                world.Operate(random.Next(100));
                world.Commit((CommitKind)random.Next(3), indexWithin: random.Next(4) == 0);
            }

            if (random.Next(2) == 0) world.Operate(random.Next(200));
            if (random.Next(4) == 0) world.Truncate(); // which the crash undoes
            world.Check();
            world.Pages = 4 + random.Next(8); // more than before, or fewer
            world.CrashAndRecover();
            records += world.Result.DiscardedRecords;
            if (world.Result.Discarded is not null) ranges++;
            world.Check();
        }

        return (records, ranges);
    }
}
