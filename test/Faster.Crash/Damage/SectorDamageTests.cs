using Faster.Crash.Disk;
using Faster.Operations;
using Xunit.Abstractions;

namespace Faster.Crash.Damage;

/// <summary>
/// Files are cut, lost or lengthened; sectors are zeroed, swapped or restored from an earlier state: the result is a
/// typed error or the right answer.
/// </summary>
public sealed class SectorDamageTests(ITestOutputHelper output)
{
    private const int Tries = 300;

    // Half of the files of commits belong to the older one, which nothing needs, and one sector of commit records is
    // never needed, since each record is there twice. Otherwise a file was lengthened, or a
    // sector was zero or the same before: at most 0.01 of the log and 0.04 of the metadata were recorded.
    private static readonly Dictionary<string, double> MaxHarmless = new()
    {
        ["commits.*"] = 0.98, ["commits-twice.*"] = 0, ["index.*"] = 0.55, ["snapshot.*"] = 0.55,
        ["log.*"] = 0.05, ["store.meta"] = 0.1,
    };

    [Theory]
    [InlineData(false, CommitKind.FoldOver, true)]
    [InlineData(true, CommitKind.Snapshot, true)]
    [InlineData(false, CommitKind.Incremental, false)]
    public async Task No_damage_to_files_and_sectors_is_taken_for_data(bool bytes, CommitKind last, bool withIndex)
    {
        DamagedStore store = await DamagedStore.MakeAsync(bytes, last, withIndex);
        var counters = new Counters();
        List<(string What, string File, Action<DiskImage> Damage)> damages = [.. OfSectors(store)];
        int every = Math.Max(1, damages.Count / TestBudget.Times(Tries));
        damages = [.. OfFiles(store), .. damages.Where((_, i) => i % every == 0)];
        await Parallel.ForEachAsync(damages.Index(), async (item, _) =>
        {
            (string what, string file, Action<DiskImage> damage) = item.Item;
            DiskImage damaged = store.AtRest.Clone();
            damage(damaged);
            (Verdict verdict, string? wrong) = await store.OpenAsync(damaged, fallBack: item.Index % 2 == 0);
            counters.Add(file, verdict, wrong is null ? null : $"{what}: {wrong}");
        });
        output.WriteLine($"{counters.Count} damages\n{counters}");
        Assert.True(counters.Wrong.Count == 0, string.Join('\n', counters.Wrong.Take(5)));
        counters.AssertHarmless(MaxHarmless);
        foreach (string sort in counters.Sorts)
            Assert.True(counters.Of(sort, Verdict.Detected) > 0, $"No damage to {sort} was found: was it opened?");
    }

    private static IEnumerable<(string What, string File, Action<DiskImage> Damage)> OfFiles(DamagedStore store)
    {
        foreach (string name in store.Files)
        {
            long length = store.AtRest.Find(name)!.Length;
            yield return ($"{name} lengthened", name, d => d.Cut(name, length + 4096));
            yield return ($"{name} emptied", name, d => d.Cut(name, 0));
            yield return ($"{name} lost", name, d => d.Lose(name));
        }

        for (int at = 0; at < store.NewestBytes; at += Sector.Size)
        {
            int[] both = [.. store.NewestCopies.Select(copy => (int)(copy + at) / Sector.Size)];
            yield return ($"block {at / Sector.Size} of both copies zeroed", DamagedStore.BothCopies, d =>
            {
                foreach (int sector in both) d.ZeroSector(CommitsFile.Name, sector);
            });
            yield return ($"block {at / Sector.Size} of both copies swapped", DamagedStore.BothCopies, d =>
                d.Swap((CommitsFile.Name, both[0]), (CommitsFile.Name, both[1])));
        }
    }

    private static IEnumerable<(string What, string File, Action<DiskImage> Damage)> OfSectors(DamagedStore store)
    {
        (string Name, int Index)[] sectors = [.. store.Files.SelectMany(
            name => Enumerable.Range(0, store.AtRest.Find(name)!.Sectors).Select(i => (name, i)))];
        foreach (string name in store.Files)
        {
            long length = store.AtRest.Find(name)!.Length;
            for (long cut = 0; cut < length; cut += length < 4096 ? 1 : 511)
            {
                long to = cut;
                yield return ($"{name} cut to {to}", name, d => d.Cut(name, to));
            }
        }

        foreach ((string name, int index) in sectors)
        {
            yield return ($"sector {index} of {name} zeroed", name, d => d.ZeroSector(name, index));
            yield return ($"sector {index} of {name} from before", name, d => d.Restore(name, index, store.Before));
        }

        for (int i = 0; i < sectors.Length; i++)
        {
            for (int j = i + 1; j < sectors.Length; j++)
            {
                (string Name, int Index) a = sectors[i], b = sectors[j];
                yield return ($"{a} and {b} swapped", a.Name, d => d.Swap(a, b));
            }
        }
    }
}
