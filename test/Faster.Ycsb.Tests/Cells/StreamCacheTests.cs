using Faster.Workload;
using Faster.Workload.Cells;

namespace Faster.Ycsb.Tests.Cells;

public class StreamCacheTests
{
    private const int Keys = 1000;

    [Theory]
    [InlineData("c", "Zipf")]
    [InlineData("a", "HotSet")]
    [InlineData("d", "Latest")]
    public void Streams_of_all_cells_lie_in_the_memory_that_the_first_had(string name, string drawn)
    {
        KeyDistribution distribution = Enum.Parse<KeyDistribution>(drawn);
        CellSettings[] cells =
        [
            new("upsert", KeyDistribution.Uniform, 0.99, 2),
            new(name, distribution, 0.8, 1),
        ];
        var cache = new StreamCache(Keys, null, cells);
        int[][] first = [.. cache.Draw(cells[0], WorkloadOf("upsert")).Select(s => s.DrawnArray)];
        Assert.All(first[0], key => Assert.InRange(key, 0, Keys - 1));
        YcsbWorkload workload = WorkloadOf(name);
        KeyStream second = Assert.Single(cache.Draw(cells[1], workload));
        Assert.Same(first[0], second.DrawnArray);
        var alone = new KeyDraw(Keys, distribution, workload.DrawnReads) { Theta = 0.8 };
        Assert.True(second.Drawn.SequenceEqual(alone.Streams(1)[0].Drawn));
    }

    [Fact]
    public void A_cell_like_the_one_before_gets_its_streams_from_the_start()
    {
        CellSettings cell = new("a", KeyDistribution.Zipf, 0.99, 2);
        var cache = new StreamCache(Keys, null, [cell, cell]);
        KeyStream before = cache.Draw(cell, WorkloadOf("a"))[1];
        long[] chunk = before.Take().ToArray();
        KeyStream again = cache.Draw(cell, WorkloadOf("f"))[1];
        Assert.Same(before.DrawnArray, again.DrawnArray);
        Assert.Equal(chunk, again.Take().ToArray());
    }

    private static YcsbWorkload WorkloadOf(string name) =>
        YcsbWorkload.TryParse(name, out YcsbWorkload? workload) ? workload : throw new FormatException(name);
}
