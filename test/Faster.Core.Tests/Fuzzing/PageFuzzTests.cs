using Faster.Contracts;
using Faster.Devices;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Xunit.Abstractions;

namespace Faster.Tests.Fuzzing;

/// <summary>
/// Pages of the log, mutated, as they are behind their checksums: a walk gives records that lie within the page, one
/// behind the other, or refuses it.
/// </summary>
public sealed unsafe class PageFuzzTests(ITestOutputHelper output)
{
    private static readonly byte[] Keys = [0, 1, 8, 13, 30];

    [Theory]
    [InlineData(8, 8, 8)]
    [InlineData(8, 8, 0)]
    [InlineData(0, 0, 0)]
    [InlineData(16, 13, 24)]
    public Task Pages(int keySlot, int key, int value)
    {
        var layout = new RecordLayout(new RecordSchema(keySlot, key, value, "", ""));
        byte[] original = Page(keySlot, value);
        using var device = new MemoryDevice();
        var storage = new LogStorage(device, new BlockGeometry(12), new BlockIdentity(1, 1));
        return Fuzz.RunAsync(2_000, output, random =>
        {
            using var page = new GuardedPage();
            var bytes = new Span<byte>(page.Pointer, GuardedPage.Bytes);
            original.CopyTo(bytes);
            for (int changes = random.Next(1, 4); changes > 0; changes--)
            {
                // Most of them hit the records; a page ends in a gap.
                int from = random.Next(4) == 0 ? 3500 : 0;
                Mutator.MutateInPlace(bytes[from..], random);
            }

            Walk(storage, layout, page.Pointer);
        });
    }

    private static void Walk(LogStorage storage, RecordLayout layout, byte* page)
    {
        const long start = 1 << 20, end = start + GuardedPage.Bytes;
        var walker = new RecordWalker(storage, layout, page, RecordBoundary.OfTail(start), end);
        long next = start, sum = 0;
        while (walker.MoveNext())
        {
            Assert.True(walker.Address >= next && walker.Size > 0 && walker.Address + walker.Size <= end);
            Assert.True(walker.Record == page + (walker.Address - start));
            Assert.True(RecordHeader.IsSound(walker.Header), $"{walker.Header:x} is no header.");
            next = walker.Address + walker.Size;
            if (ValueFragment.Is(walker.Header))
            {
                _ = ValueFragment.IsLast(walker.Record, out _);
                continue;
            }

            sum += (long)layout.Hash(walker.Record, new HashSeed(1, 2));
            if (ChainJoinRecord.Is(walker.Header)) continue;
            foreach (byte one in layout.Key(walker.Record)) sum += one;
            foreach (byte one in layout.Value(walker.Record)) sum += one;
            sum += layout.Expiry(walker.Record);
            if (LargeHead.IsIn(walker.Header)) sum += LargeHead.AtEndOf(layout.Value(walker.Record)).Length;
        }

        GC.KeepAlive(sum);
    }

    // Records of each kind, up to the page's end but for a gap.
    private static byte[] Page(int keySlot, int value)
    {
        byte[] bytes = new byte[GuardedPage.Bytes];
        var random = new Random(keySlot + value);
        fixed (byte* page = bytes)
        {
            int at = 0;
            for (int i = 0; ; i++)
            {
                int keyBytes = keySlot != 0 ? keySlot : VariableLength.SlotSize(Keys[i % Keys.Length]);
                bool expires = i % 4 == 3;
                int valueAt = RecordHeader.Size + keyBytes + (expires ? RecordExpiry.Size : 0);
                int capacity = RecordLayout.AlignUp(random.Next(60));
                int size = valueAt + (value != 0 ? value : (int)ValueLayout.SlotSize(capacity));
                if (at + size > bytes.Length - 40) return bytes;
                random.NextBytes(bytes.AsSpan(at + 8, size - 8));
                if (keySlot == 0) *(int*)(page + at + RecordHeader.Size) = Keys[i % Keys.Length];
                if (value == 0)
                {
                    *(int*)(page + at + valueAt) = random.Next(capacity + 1);
                    *(int*)(page + at + valueAt + 4) = capacity;
                }

                ulong flags = (i % 5) switch { 1 => RecordHeader.Tombstone, 2 => RecordHeader.Invalid, _ => 0 };
                if (expires) flags |= RecordHeader.Expiring;
                RecordHeader.Write(page + at, (8UL * (uint)i) | RecordHeader.VersionBits(2) | flags);
                at += size;
            }
        }
    }
}
