using Faster.Compaction.Batches;

namespace Faster.Tests.Compaction.Batches;

/// <summary>Records are gathered, ordered by the places of their entries, and put into memory part by part.</summary>
public sealed unsafe class CopyBatchTests
{
    private const int PageBytes = 4096;

    [Fact]
    public void Parts_have_every_record_once_in_the_order_of_places()
    {
        using var batch = new CopyBatch(new CopyBatchShape(0, 0, CopyBatch.LeastFor(PageBytes)), new HashOrder());
        var random = TestSeed.NewRandom();
        var placeOf = new Dictionary<long, ulong>();
        long address = 64;
        for (int i = 0; i < 200; i++)
        {
            long size = SizeAt(address);
            placeOf[address] = (ulong)random.Next(50);
            batch.Add(placeOf[address], address, size);
            address += size;
        }

        batch.Sort();
        var met = new List<long>();
        int parts = 0;
        byte* bytes = stackalloc byte[PageBytes];
        for (int from = 0, to; from < batch.Count; from = to, parts++)
        {
            to = batch.EndOfPart(from);
            batch.BeginPart(from, to);
            for (int i = from; i < to; i++)
            {
                long at = batch.AddressOf(i);
                new Span<byte>(bytes, (int)SizeAt(at)).Fill((byte)at);
                batch.Put(i, bytes, SizeAt(at));
            }

            ReadOnlySpan<long> places = batch.EndPart(from, to);
            for (int i = from; i < to; i++)
            {
                byte* record = batch.RecordAt(i, out long at);
                Assert.Equal(placeOf[at], (ulong)places[i - from]);
                Assert.Equal(-1, new ReadOnlySpan<byte>(record, (int)SizeAt(at)).IndexOfAnyExcept((byte)at));
                met.Add(at);
            }
        }

        Assert.Equal(placeOf.Keys.Order(), met.Order());
        Assert.Equal(met.Select(at => placeOf[at]).Order(), met.Select(at => placeOf[at]));
        Assert.True(parts > 1, "One part had all records.");
    }

    [Fact]
    public void A_record_too_large_for_its_size_to_be_noted_has_a_part_of_its_own()
    {
        const int Large = 600 << 10;
        using var batch = new CopyBatch(new CopyBatchShape(0, 0, CopyBatch.LeastFor(1 << 20)), new HashOrder());
        batch.Add(1, 64, 32);
        batch.Add(2, 128, Large);
        batch.Add(3, 128 + Large, 32);
        batch.Sort();
        Assert.Equal(1, batch.EndOfPart(0));
        Assert.Equal(2, batch.EndOfPart(1));
        batch.BeginPart(1, 2);
        byte[] record = new byte[Large];
        fixed (byte* bytes = record) batch.Put(1, bytes, Large);
        Assert.Equal(2, batch.EndPart(1, 2)[0]);
        _ = batch.RecordAt(1, out long address);
        Assert.Equal(128, address);
        Assert.Equal(3, batch.EndOfPart(2));
    }

    [Fact]
    public void A_batch_is_full_before_a_page_of_the_smallest_records_could_not_be_added()
    {
        using var batch = new CopyBatch(new CopyBatchShape(0, 0, 10 * CopyBatch.LeastFor(PageBytes)), new HashOrder());
        long address = 64;
        int pages = 0;
        for (; !batch.IsFull(PageBytes); pages++)
        {
            for (int i = 0; i < PageBytes / 16; i++, address += 16) batch.Add(0, address, 16);
        }

        Assert.InRange(pages, 5, 40);
        int parts = 0;
        for (int from = 0; from < batch.Count; parts++) from = batch.EndOfPart(from);
        Assert.InRange(parts, 1, 2 * CopyBatch.MaxParts);
        batch.Clear();
        Assert.False(batch.IsFull(PageBytes));
    }

    private static long SizeAt(long address) => 24 + (address / 8 % 7 * 8);
}
