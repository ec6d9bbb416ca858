using Faster.Index;

namespace Faster.Tests.Index;

/// <summary>What is counted of entries put into a table by hand.</summary>
public sealed unsafe class IndexFillTests
{
    private const int Begin = 1000;

    [Fact]
    public void Entries_of_records_that_are_there_count_and_copies_of_them_once()
    {
        using var table = new IndexTable(64);
        Fill(table.Buckets, 0, 5, Begin);                       // 5
        Fill(table.Buckets + 1, 0, 7, Begin - 1);               // below the log's begin
        Fill(table.Buckets + 2, 0, 7, EntryWord.OfCache(8));    // 7
        Fill(table.Buckets + 3, 0, 7, EntryWord.OfCache(8));    // copies of these
        Fill(table.Buckets + 63, 7, 7, Begin + 1);              // 7, and 2 that overflow
        using var more = new IndexTable(1);
        Fill(more.Buckets, 14, 2, Begin + 1);
        table.Buckets[63].Overflow |= (ulong)more.Buckets;
        Assert.Equal(21.0 / (64 * HashBucket.EntryCount), IndexFill.Of(table, Begin));
    }

    [Fact]
    public void A_table_of_no_whole_group_is_counted_to_its_end()
    {
        using var table = new IndexTable(65);
        for (int i = 0; i < 65; i++) Fill(table.Buckets + i, 7 * i, 7, Begin);
        Assert.Equal(1.0, IndexFill.Of(table, Begin));
    }

    [Fact]
    public void Buckets_that_are_joined_need_space_for_their_different_tags()
    {
        using IndexTable table = new(4), more = new(1);
        Assert.Equal(0, IndexFill.OverflowWhenHalved(table));
        Fill(table.Buckets, 0, 7, Begin);
        Fill(table.Buckets + 1, 4, 7, Begin); // eleven tags
        Fill(table.Buckets + 2, 0, 3, Begin);
        Fill(table.Buckets + 3, 3, 4, Begin); // seven
        Assert.Equal(1, IndexFill.OverflowWhenHalved(table));
        Fill(table.Buckets + 2, 20, 7, Begin);
        Fill(table.Buckets + 3, 27, 7, Begin); // fourteen
        Assert.Equal(2, IndexFill.OverflowWhenHalved(table));
        Fill(more.Buckets, 34, 1, Begin);
        table.Buckets[3].Overflow |= (ulong)more.Buckets; // fifteen
        Assert.Equal(3, IndexFill.OverflowWhenHalved(table));
    }

    private static void Fill(HashBucket* bucket, int firstTag, int count, long address)
    {
        for (int i = 0; i < count; i++)
            bucket->Entries[i] = EntryWord.WithAddress(EntryWord.Of((uint)(firstTag + i), 1), address);
    }
}
