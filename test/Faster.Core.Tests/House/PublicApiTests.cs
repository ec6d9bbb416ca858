namespace Faster.Tests.House;

/// <summary>The public surface changes only on purpose.</summary>
public class PublicApiTests
{
    private const string Snapshot = "test/Faster.Core.Tests/House/PublicApi.verified.txt";

    [Fact]
    public void The_public_surface_is_the_recorded_one()
    {
        string surface = PublicApi.Describe(typeof(StoreOptions).Assembly);
        string path = Path.Combine(Repository.Root, Snapshot);
        if (Environment.GetEnvironmentVariable("UPDATE_SNAPSHOTS") == "1") File.WriteAllText(path, surface);
        string recorded = File.Exists(path) ? File.ReadAllText(path).ReplaceLineEndings("\n") : "";
        string[] added = [.. surface.Split('\n').Except(recorded.Split('\n'))];
        string[] removed = [.. recorded.Split('\n').Except(surface.Split('\n'))];
        Assert.True(surface == recorded, $"The public surface changed; if it should, run with UPDATE_SNAPSHOTS=1 and "
            + $"look at the difference of {Snapshot}.\nNew:\n{string.Join('\n', added)}"
            + $"\nGone:\n{string.Join('\n', removed)}");
    }
}
