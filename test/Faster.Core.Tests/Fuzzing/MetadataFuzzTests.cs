using Faster.Checkpoints;
using Faster.Checkpoints.Files;
using Faster.Compaction.Expiry;
using Faster.Contracts;
using Faster.Devices.Blocks;
using Faster.Tests.Checkpoints;
using Faster.Tests.Operations;
using Xunit.Abstractions;
using static Faster.Tests.Checkpoints.CommitRecords;

namespace Faster.Tests.Fuzzing;

/// <summary>
/// Files that are read as a whole, mutated, with length and checksum right again: each is what its bytes say, or
/// damaged, and costs little more memory than it has bytes.
/// </summary>
public sealed class MetadataFuzzTests(ITestOutputHelper output)
{
    private const int Inputs = 1_000;

    [Fact]
    public Task Commit_records()
    {
        byte[] full = CommitRecordFile.Encode(Tiered(12), Owner), least = CommitRecordFile.Encode(Least(3), Owner);
        return RunAsync([full, least], bytes =>
        {
            CommitRecord record = CommitRecordFile.Decode("commit", bytes, Owner);
            Assert.True(AreEqual(
                record, CommitRecordFile.Decode("again", CommitRecordFile.Encode(record, Owner), Owner)));
        });
    }

    [Fact]
    public Task Metadata_of_stores()
    {
        RecordSchema schema = CounterOperations.Schema with { KeyLayout = "long", ValueLayout = "{ long A; int B; }" };
        StoreMetadata metadata = StoreMetadata.New(nameof(FasterEngine), schema, 14, ByteSize.MiB(1));
        StoreMetadata tiered = metadata with { ColdIndex = new ColdIndexShape(12, 256, 1000, 24576) };
        return RunAsync([metadata.Encode(), tiered.Encode()], mutated =>
        {
            StoreMetadata read = StoreMetadata.Decode("store.meta", mutated);
            Assert.Equal(read, StoreMetadata.Decode("again", read.Encode()));
            Assert.Equal(0, read.SegmentBytes % new BlockGeometry(read.PageBits).PageStride);
            Exception? misfit = Record.Exception(() => read.Apply("here", schema, new StoreOptions()));
            Assert.True(misfit is null or StoreOpenException, $"{misfit}");
        });
    }

    [Fact]
    public Task Records_of_expiries()
    {
        var parts = new List<ExpiryHistogram> { new(64, 1000, 5), new(1000, 5000, 7) };
        parts[0].AddLasting(100);
        parts[0].AddStep(3, 200);
        parts[0].AddStep(ExpiryHistogram.StepCount - 1, 8);
        parts[1].AddStep(0, 1);
        return RunAsync([ExpiryFile.Encode(parts, Owner), ExpiryFile.Encode([], Owner)], bytes =>
        {
            List<ExpiryHistogram> read = ExpiryFile.Decode("expiries", bytes, Owner);
            byte[] again = ExpiryFile.Encode(read, Owner);
            Assert.Equal(again, ExpiryFile.Encode(ExpiryFile.Decode("again", again, Owner), Owner));
            for (int i = 1; i < read.Count; i++) Assert.Equal(read[i - 1].Until, read[i].From);
            for (int i = 1; i < read.Count; i++) read[0].Append(read[i]);
            foreach (ExpiryHistogram part in read) _ = part.DeadAt(long.MaxValue);
        });
    }

    private Task RunAsync(byte[][] originals, Action<byte[]> read) => Fuzz.RunAsync(Inputs, output, random =>
    {
        byte[] bytes = NewChecksums.Metadata(Mutator.Mutate(originals[random.Next(originals.Length)], random));
        long before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            read(bytes);
        }
        catch (DamagedDataException damage)
        {
            Assert.InRange(damage.Offset, 0, bytes.Length);
            throw;
        }
        finally
        {
            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.InRange(allocated, 0, (1 << 20) + (64 * bytes.Length));
        }
    });
}
