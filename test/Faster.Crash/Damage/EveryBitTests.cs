using System.Diagnostics;
using Faster.Checkpoints.Files;
using Faster.Crash.Disk;
using Faster.Operations;
using Xunit.Abstractions;

namespace Faster.Crash.Damage;

/// <summary>
/// Every bit of every file of a small store is flipped, one at a time: opening it and reading every key gives a typed
/// error or, with an older commit allowed, exactly the commit before. Only a bit that no such commit needs is without
/// effect.
/// </summary>
/// <remarks>Each bit is tried in both modes: with an older commit allowed, and without.</remarks>
public sealed class EveryBitTests(ITestOutputHelper output)
{
    private const int FlipsOfAStore = 270, MinOfAFile = 8, MaxBytes = 96 << 10;

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
        Assert.True(bits <= MaxBytes * 8, $"The store has {bits / 8} bytes: it is not small.");

        (string Name, long At)[] flips =
        [
            .. files.SelectMany(f => Flips(f.Name, f.Length, bits)),
            .. Flips(DamagedStore.BothCopies, store.NewestBytes, bits),
        ];
        Counters strict = new(), lenient = new();
        long start = Stopwatch.GetTimestamp();
        await Parallel.ForEachAsync(flips, async (flip, _) =>
        {
            foreach (bool fallBack in new[] { false, true })
            {
                (string name, long at) = flip;
                DiskImage damaged = store.AtRest.Clone();
                bool isTwice = name == DamagedStore.BothCopies;
                foreach (long from in isTwice ? store.NewestCopies : [0])
                    damaged.FlipBit(isTwice ? CommitsFile.Name : name, from + (at / 8), (int)(at % 8));
                (Verdict verdict, string? wrong) = await store.OpenAsync(damaged, fallBack);
                if (!store.MayBe(name, fallBack, verdict)) wrong ??= $"{verdict}, which it must not be.";
                string where = $"{name}, byte {at / 8}, bit {at % 8}, {(fallBack ? "falling back" : "strict")}";
                (fallBack ? lenient : strict).Add(name, verdict, wrong is null ? null : $"{where}: {wrong}");
            }
        });
        output.WriteLine(
            $"{flips.Length} of {bits} bits, {Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s; strict:\n{strict}"
            + $"falling back:\n{lenient}");
        string[] all = [.. strict.Wrong, .. lenient.Wrong];
        Assert.True(all.Length == 0, string.Join('\n', all.Take(5)));
        foreach (string sort in strict.Sorts.Where(static sort => sort != CommitsFile.Name + ".*"))
        {
            Assert.True(strict.Of(sort, Verdict.Detected) > 0, $"No flip in {sort} was found: was it opened?");
            Assert.True(
                sort == StoreMetadata.FileName || lenient.Of(sort, Verdict.FellBack) > 0,
                $"No flip in {sort} led to the older commit: was it allowed?");
        }
    }

    // An odd step visits all bit positions of a byte in turn, and every bit when the budget is large enough.
    private static IEnumerable<(string Name, long At)> Flips(string name, long length, long bitsOfAll)
    {
        long step = Math.Min(bitsOfAll / TestBudget.Times(FlipsOfAStore), length * 8 / MinOfAFile);
        step = step <= 1 ? 1 : step | 1;
        for (long at = 0; at < length * 8; at += step) yield return (name, at);
    }
}
