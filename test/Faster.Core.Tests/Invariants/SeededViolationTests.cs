using System.Reflection;
using Faster.Analytics.Scans;
using Faster.Checkpoints;
using Faster.Commits;
using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Devices.Folders;
using Faster.Epochs;
using Faster.Invariants;
using Faster.Log;
using Faster.Memory;
using Faster.Sessions;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Log;

namespace Faster.Tests.Invariants;

/// <summary>
/// Invariants that a test violates from inside: each check finds its violation before anything is done.
/// </summary>
public sealed class SeededViolationTests
{
    private const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.NonPublic;

    [Fact]
    public void The_markers_of_a_log_stay_in_order()
    {
        using var device = new MemoryDevice();
        using var log = new PumpedLog(device);
        log.Append(1, 400);
        AssertViolated("ReadOnly ≤ Tail", () => log.Log.ShiftReadOnly(log.Log.TailAddress + 8));
        AssertViolated("FlushedUntil ≤ SafeImmutable", () => log.Log.OnFlushed(log.Log.TailAddress));
        AssertViolated("Head ≤ FlushedUntil", () => log.Log.Evict(1 << PumpedLog.PageBits));
        Assert.Equal((64, 64, 0), (log.Log.HeadAddress, log.Log.ReadOnlyAddress, log.Log.FlushedUntilAddress));
    }

    [Fact]
    public void A_page_is_not_closed_twice()
    {
        using var frames = new PageFrames(4, pageBits: 12);
        Assert.True(frames.TryClose(2 << 12));
        Set(frames, "_closeClaim", 0L);
        AssertViolated("page 0 is open when it is closed", () => frames.TryClose(1 << 12));
        Assert.True(frames.MayOpen(4));
        Assert.Equal(2 << 12, frames.ClosedUntil);
    }

    [Fact]
    public async Task The_flusher_writes_nothing_more_once_its_place_in_the_log_is_wrong()
    {
        using var device = new RecordingDevice(new MemoryDevice());
        using var log = new PumpedLog(device);
        log.Append(1, 400);
        log.FlushAll();
        int written = device.Written.Count;
        log.Append(2, 400);
        log.Log.ShiftReadOnlyToTail();
        Set(log.Flusher, "_cursor", log.Log.FlushedUntilAddress - 8);
        Task waiting = log.Log.Gate.WaitForAsync(() => log.Flusher.HasFailed, CancellationToken.None);
        AssertViolated("a part begins and ends with a sector", () => log.Flusher.TryStep());
        await waiting;
        Assert.False(log.Flusher.TryStep());
        var failure = await Assert.ThrowsAsync<StorageException>(() => log.Flusher.RetryAsync(CancellationToken.None));
        Assert.False(failure.MayRetry);
        Assert.IsType<InvariantException>(failure.InnerException);
        Assert.Throws<StorageException>(log.Flusher.ThrowIfFailed);
        Assert.Equal(written, device.Written.Count);
    }

    [Fact]
    public void A_part_does_not_count_as_written_twice()
    {
        using var device = new MemoryDevice();
        using var log = new PumpedLog(device);
        log.Append(1, 400);
        log.FlushAll();
        long flushed = log.Log.FlushedUntilAddress;
        log.Append(2, 400);
        log.Log.ShiftReadOnlyToTail();
        Set(log.Flusher, "_writtenUntil", log.Log.TailAddress + 504);
        AssertViolated("what is on the device is not written again", () => log.Flusher.TryStep());
        Assert.Equal(flushed, log.Log.FlushedUntilAddress);
    }

    [Fact]
    public void Latches_and_counts_are_released_as_often_as_they_were_taken()
    {
        var latches = new BucketLatches(stripes: 1);
        Assert.True(latches.TryEnterShared(3));
        latches.LeaveShared(3);
        AssertViolated("a shared latch", () => latches.LeaveShared(3));
        latches = new BucketLatches(stripes: 1);
        AssertViolated("an exclusive latch", () => latches.LeaveExclusive(3));
        Assert.True(latches.TryAddPending(3, version: 4));
        AssertViolated("a pending operation of version 5", () => latches.RemovePending(3, version: 5));
        AssertViolated("0 are inside", new ReaderGuard().Leave);
    }

    [Fact]
    public void A_buffer_is_returned_once()
    {
        using var pool = new AlignedBufferPool(ByteSize.MiB(1));
        AlignedBuffer buffer = pool.Rent(5000);
        pool.Return(buffer);
        AssertViolated("one that was rented", () => pool.Return(buffer));
        Assert.Equal((0, 8192), (pool.LentBytes, pool.IdleBytes));
    }

    [Fact]
    public void A_range_is_decommitted_inside_its_block()
    {
        using var block = new NativeBlock(8192);
        AssertViolated("of a block of 8192", () => block.Decommit(4096, 8192));
    }

    [Fact]
    public unsafe void An_epoch_slot_is_idle_when_it_is_acquired()
    {
        var epochs = new EpochTable();
        EpochSlot* slot = epochs.Acquire("one");
        epochs.Release(slot);
        slot->Epoch = 1;
        AssertViolated("is free and idle", () => epochs.Acquire("another"));
    }

    [Fact]
    public void A_session_ends_only_after_it_was_claimed()
    {
        var gate = new SessionGate(new EpochTable(), "a session");
        AssertViolated("a session is claimed before it ends", gate.End);
    }

    [Theory]
    [InlineData(CommitPhase.Rest, CommitPhase.Prepare, 0, true)]
    [InlineData(CommitPhase.Rest, CommitPhase.InProgress, 0, false)]
    [InlineData(CommitPhase.Prepare, CommitPhase.InProgress, 0, true)]
    [InlineData(CommitPhase.Prepare, CommitPhase.InProgress, 1, false)]
    [InlineData(CommitPhase.Prepare, CommitPhase.Rest, 0, true)]
    [InlineData(CommitPhase.Prepare, CommitPhase.Rest, 1, false)]
    [InlineData(CommitPhase.InProgress, CommitPhase.WaitPending, 0, true)]
    [InlineData(CommitPhase.InProgress, CommitPhase.Prepare, 0, false)]
    [InlineData(CommitPhase.InProgress, CommitPhase.Rest, 1, false)]
    [InlineData(CommitPhase.InProgress, CommitPhase.Resume, 0, true)]
    [InlineData(CommitPhase.WaitPending, CommitPhase.WaitFlush, 0, true)]
    [InlineData(CommitPhase.WaitFlush, CommitPhase.Rest, 1, true)]
    [InlineData(CommitPhase.WaitFlush, CommitPhase.Rest, 0, false)]
    [InlineData(CommitPhase.Resume, CommitPhase.Rest, 1, true)]
    [InlineData(CommitPhase.Rest, CommitPhase.Rest, 0, true)]
    [InlineData(CommitPhase.Rest, CommitPhase.Resume, 0, false)]
    internal void Phases_follow_each_other_in_their_order(
        CommitPhase before, CommitPhase after, int versions, bool mayFollow) =>
        Assert.Equal(mayFollow, new SystemState(after, 7 + versions).MayFollow(new SystemState(before, 7)));

    [Fact]
    public void A_store_stays_poisoned()
    {
        var poisoned = new SystemState(CommitPhase.Rest, 7, poisoned: true);
        Assert.True(poisoned.MayFollow(new SystemState(CommitPhase.Rest, 7)));
        Assert.False(new SystemState(CommitPhase.Prepare, 7).MayFollow(poisoned));
    }

    [Fact]
    public void A_version_is_published_after_all_lower_ones()
    {
        using var folder = new TemporaryFolder();
        using FolderFiles files = FolderFiles.OpenFolder(folder.Path);
        var catalog = new CommitCatalog(files, storeIdentity: 77);
        catalog.Publish(OfVersion(5));
        AssertViolated("version 5 is published after 5", () => catalog.Publish(OfVersion(5)));
        Assert.Equal([5], catalog.Versions());
    }

    [Fact]
    public void A_violation_that_a_commit_meets_poisons_the_store()
    {
        using var folder = new TemporaryFolder();
        using FolderFiles files = FolderFiles.OpenFolder(folder.Path);
        var publisher = new CommitPublisher(files, new CommitCatalog(files, storeIdentity: 77), static _ => { });
        publisher.PoisonIfFinal(new InvalidOperationException());
        Assert.False(publisher.IsPoisoned);
        var violation = Assert.Throws<InvariantException>(() => Invariant.Check(files is null, $"a test violates it"));
        publisher.PoisonIfFinal(violation);
        var refused = Assert.Throws<StorageException>(publisher.ThrowIfPoisoned);
        Assert.Contains("a test violates it", refused.Message, StringComparison.Ordinal);
        AssertViolated("nothing is synced", () => publisher.Publish(OfVersion(1), []));
    }

#if DEBUG
    [Fact]
    public unsafe void A_session_leaves_the_epoch_that_it_is_in()
    {
        var epochs = new EpochTable();
        EpochSlot* slot = epochs.Acquire("one");
        AssertViolated("is inside the epoch that it leaves", () => epochs.Leave(slot));
        epochs.Enter(slot);
        AssertViolated("from outside every epoch", () => epochs.Enter(slot));
        epochs.Leave(slot);
    }

    [Fact]
    public unsafe void Allocated_space_is_zero()
    {
        using var device = new MemoryDevice();
        using var log = new PumpedLog(device);
        *(log.Log.Pointer(log.Log.TailAddress) + 9) = 1;
        AssertViolated("are zero and lie in one page", () => log.Log.TryAllocate(null, 32, out _));
    }
#endif

    private static CommitRecord OfVersion(long version) => new()
    {
        Version = version, Kind = CommitKind.Snapshot,
        Parts = [new CommittedPart { Name = "a", File = new FileReference("directory.000000000001", 1, 4096) }],
    };

    private static void AssertViolated(string invariant, Action act)
    {
        var violation = Assert.Throws<InvariantException>(act);
        Assert.Contains(invariant, violation.Message, StringComparison.Ordinal);
    }

    private static void Set(object target, string field, long value) =>
        target.GetType().GetField(field, Hidden)!.SetValue(target, value);
}
