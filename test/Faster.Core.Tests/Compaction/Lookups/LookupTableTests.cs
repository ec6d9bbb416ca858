using Faster.Compaction.Lookups;
using Faster.Memory;

namespace Faster.Tests.Compaction.Lookups;

/// <summary>The table of look-ups that are put off keeps addresses and keys until it is full.</summary>
public sealed unsafe class LookupTableTests
{
    private const int Bytes = 1 << 16;

    [Fact]
    public void Entries_keep_their_records_and_keys_when_they_are_sorted()
    {
        using var memory = new NativeBlock(Bytes);
        var table = new LookupTable(memory.Pointer, Bytes);
        const long First = 1L << 40;
        ulong* key = stackalloc ulong[2];
        for (int round = 0; round < 2; round++)
        {
            int count = 0;
            for (; ; count++)
            {
                // Keys of one or two words, the first of which is the record's number.
                (key[0], key[1]) = ((ulong)count, ~(ulong)count);
                if (!table.TryAdd(First + (count * 24), First + (1 << 20) - (count * 8), (byte*)key, 8 << (count & 1)))
                    break;
            }

            Assert.InRange(count, (Bytes - 64) / 28, Bytes / 28);
            Assert.InRange(table.FreeBytes, 0, 31);
            table.Entries.Sort();
            Assert.Equal(count, table.Entries.Length);
            for (int i = 0; i < count; i++)
            {
                int number = count - 1 - i; // the highest record leads to the lowest address
                LookupTable.Entry entry = table.Entries[i];
                Assert.Equal(First + (1 << 20) - (number * 8), entry.Newer);
                Assert.Equal(First + (number * 24), table.RecordOf(entry));
                Assert.Equal((ulong)number, *(ulong*)table.KeyOf(entry));
                if ((number & 1) != 0) Assert.Equal(~(ulong)number, ((ulong*)table.KeyOf(entry))[1]);
            }

            table.Clear();
            Assert.Equal(0, table.UsedBytes);
        }
    }
}
