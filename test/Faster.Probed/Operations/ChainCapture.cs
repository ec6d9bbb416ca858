using Faster.Index;
using Faster.Log.Records;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Operations;

/// <summary>What a commit takes of the one chain of <see cref="ChainKey"/>: the numbers of its keys.</summary>
internal static unsafe class ChainCapture
{
    /// <summary>The bytes of a record, in memory or on disk.</summary>
    public delegate ReadOnlySpan<byte> RecordAt(long address);

    /// <summary>The newest address of a chain; 0 when there is none.</summary>
    public static long Newest(HashIndex index, ulong hash = ChainKey.OneHash)
    {
        Assert.True(index.TryLocate(hash, out BucketRef bucket));
        ulong* slot = HashIndex.Find(bucket.Bucket, HashBits.TagOf(hash), out ulong word);
        return slot == null ? 0 : HashIndex.AddressOf(word);
    }

    /// <summary>The newest record of each key, with those before it down to a whole one.</summary>
    /// <param name="newest">Where to begin.</param>
    /// <param name="begin">Where the chain ends.</param>
    /// <param name="recordAt">Reads a record.</param>
    /// <param name="nextStart">From there on records of the next version are left out.</param>
    public static Dictionary<long, long> Take(long newest, long begin, RecordAt recordAt, long nextStart)
    {
        Dictionary<long, long> found = [];
        HashSet<long> whole = [];
        long above = long.MaxValue;
        for (long address = newest; address >= begin;)
        {
            Assert.True(address < above, "Addresses do not fall along the chain.");
            above = address;
            ReadOnlySpan<byte> record = recordAt(address);
            ulong header = BitConverter.ToUInt64(record);
            bool isNext = address >= nextStart
                && RecordHeader.VersionCode(header) == RecordHeader.CodeOf(RecordHeader.FirstVersion + 1);
            long key = BitConverter.ToInt64(record[8..]);
            if (!isNext && !whole.Contains(key))
            {
                found[key] = found.GetValueOrDefault(key) + BitConverter.ToInt64(record[16..]);
                if ((header & RecordHeader.Delta) == 0) whole.Add(key);
            }

            address = RecordHeader.Previous(header);
        }

        return found;
    }
}
