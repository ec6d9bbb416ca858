using Faster.Contracts;
using Faster.Probes;

namespace Faster.Tests.House;

/// <summary>A seeded bug proves something only if it is in the source that ships and a test looks for it.</summary>
public sealed class SeededBugTests
{
    // The explorer's own tests ask whether these are seeded.
    private static readonly string[] Asked = [nameof(SeededBug.FreeWithoutEpoch), nameof(SeededBug.DrainWithoutClaim)];

    [Fact]
    public void Every_seeded_bug_sits_in_the_source_and_is_looked_for()
    {
        string source = Read("src"), tests = Read("test");
        foreach (string bug in Enum.GetNames<SeededBug>())
        {
            Assert.True(Has(source, $"Has(SeededBug.{bug})"), $"{bug} is not in src.");
            Assert.True(Has(tests, $"SeededBug.{bug}"), $"No test looks for {bug}.");
            bool isInTests = Has(tests, $"Has(SeededBug.{bug})") && !Asked.Contains(bug);
            Assert.False(isInTests, $"{bug} is seeded in a test, which shows nothing of the source.");
        }
    }

    private static bool Has(string text, string part) => text.Contains(part, StringComparison.Ordinal);

    private static string Read(string folder) =>
        string.Join('\n', Repository.Files(folder, "*.cs").Select(Repository.Read));
}
