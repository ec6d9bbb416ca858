using System.Diagnostics;
using Faster.Crash.Crashes;
using Faster.Crash.Disk;
using Xunit.Abstractions;

namespace Faster.Crash.Damage;

/// <summary>
/// Every bit of every file of a small store is flipped, one at a time: opening it and reading every key gives a typed
/// error or the right answer.
/// </summary>
public sealed class EveryBitTests(ITestOutputHelper output)
{
    private const int FlipsOfAStore = 400, MostBytes = 64 << 10;

    [Theory]
    [InlineData(false, CommitKind.FoldOver, true)]
    [InlineData(true, CommitKind.Snapshot, true)]
    [InlineData(false, CommitKind.Incremental, false)]
    public async Task No_flipped_bit_is_taken_for_data(bool bytes, CommitKind last, bool withIndex)
    {
        DamagedStore store = await DamagedStore.MakeAsync(bytes, last, withIndex);
        (string Name, long Length)[] files =
            [.. store.Files.Select(name => (name, store.AtRest.Find(name)!.Length))];
        long bits = files.Sum(f => f.Length) * 8;
        Assert.True(bits <= MostBytes * 8, $"The store has {bits / 8} bytes: it is not small.");

        // A prime step visits all bits of a byte, and each bit when the budget is large enough.
        long step = bits / TestBudget.Times(FlipsOfAStore) is var wide && wide <= 1 ? 1 : wide | 1;
        IEnumerable<long> flips = Enumerable.Range(0, (int)((bits + step - 1) / step)).Select(i => i * step);
        var tally = new Tally();
        long start = Stopwatch.GetTimestamp();
        await Parallel.ForEachAsync(flips, async (bit, _) =>
        {
            (string name, long at) = Find(files, bit);
            DiskImage damaged = store.AtRest.Clone();
            damaged.FlipBit(name, at / 8, (int)(at % 8));
            (Verdict verdict, string? wrong) = await store.OpenAsync(damaged, fallBack: (bit / step) % 3 == 0);
            tally.Add(name, verdict, wrong is null ? null : $"{name}, byte {at / 8}, bit {at % 8}: {wrong}");
        });
        output.WriteLine(
            $"{tally.Count} of {bits} bits, {Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s\n{tally}");
        Assert.True(tally.Wrong.Count == 0, string.Join('\n', tally.Wrong.Take(5)));
    }

    private static (string Name, long At) Find((string Name, long Length)[] files, long bit)
    {
        foreach ((string name, long length) in files)
        {
            if (bit < length * 8) return (name, bit);
            bit -= length * 8;
        }

        throw new ArgumentOutOfRangeException(nameof(bit));
    }
}
