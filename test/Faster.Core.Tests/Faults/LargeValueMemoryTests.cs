using System.IO.Pipelines;
using Faster.Contracts;
using Faster.Store;
using Faster.Tests.Store.Large;
using static Faster.Tests.Store.Large.LargeStore;

namespace Faster.Tests.Faults;

/// <summary>What large values take of the process's memory.</summary>
[Collection("Alone")]
public sealed class LargeValueMemoryTests
{
    [Fact]
    public async Task A_value_larger_than_the_memory_goes_in_and_out_piece_by_piece()
    {
        await using FasterStore<NoProbe> store = await OpenAsync();
        using FasterSession<NoProbe> session = store.StartSession();
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
}
