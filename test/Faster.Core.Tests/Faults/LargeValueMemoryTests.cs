using System.IO.Pipelines;
using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Tests.Compaction;
using Faster.Tests.Operations.Large;
using static Faster.Tests.Operations.Large.LargeStore;

namespace Faster.Tests.Faults;

/// <summary>What large values take of the process's memory.</summary>
[Collection("Alone")]
public sealed class LargeValueMemoryTests
{
    [Fact]
    public async Task A_value_larger_than_the_memory_goes_in_and_out_piece_by_piece()
    {
        await using FasterStore store = await OpenAsync();
        using FasterSession session = store.StartSession();
        byte[] value = Value(24 << 20, 3);
        long memory = GC.GetTotalAllocatedBytes(precise: true);
        Assert.Equal(Status.Ok, await session.PutAsync(1, InPieces(value, 1 << 20)));
        Assert.True(GC.GetTotalAllocatedBytes(precise: true) - memory < value.Length / 2, "The value was copied.");

        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 64 << 10, resumeWriterThreshold: 32 << 10));
        Task<byte[]?> reading = session.ReadAsync(1, pipe.Writer).AsTask();
        _ = reading.ContinueWith(_ => pipe.Writer.Complete(), TaskScheduler.Default);
        long at = 0, most = 0;
        for (;;)
        {
            ReadResult read = await pipe.Reader.ReadAsync();
            most = Math.Max(most, read.Buffer.Length);
            foreach (ReadOnlyMemory<byte> piece in read.Buffer)
            {
                Assert.True(piece.Span.SequenceEqual(value.AsSpan((int)at, piece.Length)), $"at {at}");
                at += piece.Length;
            }

            pipe.Reader.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted) break;
        }

        Assert.NotNull(await reading);
        Assert.Equal(value.Length, at);
        Assert.True(most <= (64 << 10) + Page, $"The reader set no pace: {most} bytes waited for it.");
        Assert.True(store.Log.BytesInMemory <= ByteSize.MiB(1).Bytes);
    }

    // Its owner lets the operation wait where it has gathered the old value, or has written the new one. Meanwhile the
    // old value moves to the cold log, so that it is gathered again: from a disk that answers when it may. A call that
    // makes the new value may also see it written, and end: then all is done again.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_update_of_a_value_that_moves_takes_the_memory_that_it_has_a_share_of(bool isMade)
    {
        int tries = 1;
        while (!await TryUpdateAsync(isMade)) Assert.True(tries++ < 200, "The operation never waits for its owner.");
    }

    private static async Task<bool> TryUpdateAsync(bool isMade)
    {
        const int Length = 4_000_000, Slack = Length / 3;
        var reads = new HeldReads(new MemoryDevice());
        var options = new TieredOptions
        {
            MemoryBudget = ByteSize.GiB(1), ColdFraction = 0.001, PageSize = new ByteSize(Page), ReadCacheFraction = 0,
            HotLogSize = ByteSize.MiB(64), ExpectedColdKeys = 1_000, ExpectedHotKeys = 1_000, CommitOnDispose = false,
            ColdDevice = reads,
        };
        await using TieredStore store = await TieredStore.OpenAsync(null, options, BytesOperations.Schema, default);
        using TieredSession session = store.StartSession();
        byte[] value = Value(Length, 3), more = Value(10, 4);
        session.PutBytes(1, value);
        for (int key = 2; key < 6; key++) session.PutBytes(key, Value(Page / 2, key)); // the record's page is full
        long before = GC.GetTotalMemory(forceFullCollection: true);
        bool wasMade = false;
        BytesOperations.Appending append = new(more, () => wasMade = true);
        Assert.Equal(Status.Pending, session.Rmw(new BytesKey(BitConverter.GetBytes(1)), ref append));
        Assert.Equal(Length, store.Core.PendingMemory.SharedBytes);
        long end = store.Hot.Log.TailAddress;
        if (isMade)
        {
            bool hasEnded = false;
            while (!wasMade) hasEnded = session.CompletePending(wait: false);
            if (hasEnded) return false;
            while (store.Hot.Log.TailAddress < end + Length) Thread.Yield();
        }

        _ = await store.CompactHotAsync(end);
        Assert.True(store.Hot.Log.BeginAddress >= end - Page, "The value has not moved.");
        Assert.Equal(isMade, wasMade);
        reads.Hold(Length / 2); // in the value
        try
        {
            await reads.HeldAsync(1, () => Assert.False(session.CompletePending(wait: false)));
            long shared = store.Core.PendingMemory.SharedBytes, made = isMade ? Length : 0; // not counted
            Assert.Equal(isMade ? 2 * Length : Length, shared);
            long held = GC.GetTotalMemory(forceFullCollection: true) - before - made;
            Assert.True(
                held > shared - Slack && held <= shared + Slack, $"{held} bytes are held by a share of {shared}.");
        }
        finally
        {
            reads.Release(); // the store waits for its reads when it closes
        }

        session.CompletePending(wait: true);
        Assert.Equal([.. value, .. more], session.GetBytes(1)!);
        Assert.Equal(0, store.Core.PendingMemory.SharedBytes);
        return true;
    }
}
