using Faster.Contracts;
using Faster.Log.Records;
using Faster.Operations;
using Faster.Operations.Merging;
using Faster.Tiers;

namespace Faster.Tests.Operations.Merging;

public sealed unsafe class DeltaValuesTests
{
    [Fact]
    public void Parts_are_merged_from_the_oldest_to_the_newest()
    {
        var parts = new DeltaValues();
        for (int i = 20; i > 0; i--) parts.Add([(byte)('a' + i)]);
        parts.Add("A longer whole value, "u8);
        parts.EndWithWhole(RecordExpiry.Never);
        Assert.Equal((21, 20), (parts.Count, parts.Deltas));
        var operation = default(Joining);
        Assert.Equal("A longer whole value, bcdefghijklmnopqrstu"u8, parts.Merge(ref operation));
        Assert.Equal("A longer whole value, bcdefghijklmnopqrstu"u8, parts.Merge(ref operation));
    }

    [Fact]
    public void One_part_alone_is_the_value_and_a_cleared_list_holds_nothing()
    {
        var parts = new DeltaValues();
        parts.Add("first"u8);
        parts.EndWithWhole(RecordExpiry.Never);
        parts.Clear();
        Assert.Equal((0, 0, false), (parts.Count, parts.Deltas, parts.HasWhole));
        parts.Add("second"u8);
        var operation = default(Joining);
        Assert.Equal("second"u8, parts.Merge(ref operation));
        Assert.Equal(0, operation.Merges);
    }

    [Fact]
    public void Parts_that_were_read_from_disk_are_older_than_those_in_memory()
    {
        var disk = new ChainReadResult();
        disk.AddDelta(200, "d"u8);
        disk.AddDelta(100, "c"u8);
        disk.SetFound(300, 64, "b"u8);
        var parts = new DeltaValues();
        parts.Add("e"u8);
        parts.Add(disk, isAlive: true);
        var operation = default(Joining);
        Assert.Equal("bcde"u8, parts.Merge(ref operation));
        Assert.Equal((3, true, 64L), (parts.Deltas, parts.HasWhole, disk.Address));
        disk.Clear();
        disk.AddDelta(200, "d"u8);
        disk.SetAbsent(300);
        Assert.Equal((200L, 1, false), (disk.Address, disk.Deltas.Count, disk.Found));
    }

    [Fact]
    public void Shared_values_of_every_length_are_copied_whole()
    {
        byte* bytes = stackalloc byte[64];
        byte* value = (byte*)(((nint)bytes + 7) & ~7);
        for (int i = 0; i < 48; i++) value[i] = (byte)(i + 1);
        for (int length = 0; length <= 40; length++)
        {
            var parts = new DeltaValues();
            parts.AddShared(value, length);
            Assert.Equal(new ReadOnlySpan<byte>(value, length), parts[0]);
        }
    }

    [Fact]
    public void A_merger_that_writes_a_value_of_the_wrong_size_is_told()
    {
        var parts = new DeltaValues();
        parts.Add([1, 2, 3, 4]);
        parts.Add([5, 6, 7, 8]);
        var operation = default(Short);
        string message = Errors.Throws(ErrorReason.UserFunction, () => _ = parts.Merge(ref operation).Length).Message;
        Assert.Contains("1 bytes where every value has 4", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_mark_lasts_until_the_key_is_collapsed()
    {
        var ledger = new CollapseHints();
        for (ulong hash = 1; hash < 1000; hash++)
        {
            Assert.False(ledger.IsMarked(hash << 40));
            ledger.Mark(hash << 40);
            Assert.True(ledger.IsMarked(hash << 40));
            ledger.OnCollapsed(hash << 40, 3);
            Assert.False(ledger.IsMarked(hash << 40));
        }

        ledger.OnAppended();
        Assert.Equal((1L, 2997L), (ledger.Appended, ledger.Collapsed));
    }

    private struct Joining : IMergeOperation
    {
        public int Merges;

        public static int ValueSize => 0;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public readonly bool IsAwaited => false;

        public readonly void Capture() { }

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged)
        {
            Merges++;
            older.CopyTo(merged.GetSpan(older.Length));
            merged.Advance(older.Length);
            newer.CopyTo(merged.GetSpan(newer.Length));
            merged.Advance(newer.Length);
        }

        public readonly void Complete(Status status, Exception? error) { }
    }

    private readonly struct Short : IMergeOperation
    {
        public static int ValueSize => 4;

        public static bool LatchesUpdates => true;

        public static bool LatchesReads => true;

        public bool IsAwaited => false;

        public void Capture() { }

        public void Merge(ReadOnlySpan<byte> older, ReadOnlySpan<byte> newer, ValueBuffer merged)
        {
            merged.GetSpan(1)[0] = 0;
            merged.Advance(1);
        }

        public void Complete(Status status, Exception? error) { }
    }
}
