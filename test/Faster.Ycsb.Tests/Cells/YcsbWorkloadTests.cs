using Faster.Workload;
using Faster.Workload.Cells;

namespace Faster.Ycsb.Tests.Cells;

public class YcsbWorkloadTests
{
    [Theory]
    [InlineData("a", 0.5, "Upsert")]
    [InlineData("B", 0.95, "Upsert")]
    [InlineData("c", 1, "None")]
    [InlineData("d", 0.95, "Insert")]
    [InlineData("f", 0.5, "Rmw")]
    [InlineData("w", 0.5, "Upsert")]
    [InlineData("upsert", 0, "Upsert")]
    [InlineData("rmw", 0, "Rmw")]
    [InlineData("absent", 1, "None")]
    [InlineData("dependent", 1, "None")]
    [InlineData("90:10", 0.9, "Upsert")]
    [InlineData("100:0", 1, "None")]
    [InlineData("0:100", 0, "Upsert")]
    public void A_workload_reads_its_part(string name, double reads, string update)
    {
        Assert.True(YcsbWorkload.TryParse(name, out YcsbWorkload? workload));
        Assert.Equal((reads, update), (workload.Reads, workload.Update.ToString()));
        var draw = new KeyDraw(1000, KeyDistribution.Uniform, workload.DrawnReads);
        int[] drawn = draw.Streams(1)[0].Drawn.ToArray();
        Assert.Equal(reads == 0 ? 1 : reads, drawn.Count(k => k >= 0) / (double)drawn.Length, 0.01);
        Assert.All(drawn, key => Assert.InRange(key >= 0 ? key : ~key, 0, 999));
    }

    [Theory]
    [InlineData("e")]
    [InlineData("50:51")]
    [InlineData("-10:110")]
    [InlineData("")]
    public void Other_names_are_refused(string name) => Assert.False(YcsbWorkload.TryParse(name, out _));

    [Theory]
    [InlineData("d", "Zipf", "Latest")]
    [InlineData("w", "Uniform", "HotSet")]
    [InlineData("w", "Moving", "Moving")]
    [InlineData("c", "Moving", "Moving")]
    public void Some_workloads_choose_their_keys(string name, string asked, string drawn)
    {
        Assert.True(YcsbWorkload.TryParse(name, out YcsbWorkload? workload));
        Assert.Equal(Enum.Parse<KeyDistribution>(drawn), workload.DistributionFor(Enum.Parse<KeyDistribution>(asked)));
    }
}
