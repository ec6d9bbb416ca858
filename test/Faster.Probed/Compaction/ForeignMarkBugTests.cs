using Faster.Engines;
using Faster.Probes;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Compaction;

/// <summary>A compaction that believes what an earlier process has marked in records of a commit is found.</summary>
public sealed class ForeignMarkBugTests : IDisposable
{
    private const int Keys = 14_000, Few = 4_000; // few: as many as memory holds twice

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Believing_the_mark_of_an_earlier_process_is_found()
    {
        using IDisposable seeded = SeededProbe.Seed(SeededBug.TrustForeignMarks);
        await GarbageStore.MakeForeignMarksAsync(_folder.Path, Few);
        await using FasterStore store = await GarbageStore.OpenAsync(_folder.Path);
        using FasterSession session = store.StartSession();
        session.Fill(Keys, 3 * Keys);
        _ = await store.CompactAsync(store.Statistics.HeadAddress);
        Assert.Contains(Enumerable.Range(0, Few), key => session.Get(key) is null);
    }
}
