namespace Faster.Tests.House;

/// <summary>
/// Code that names emitted types repeats itself easily, once for each engine. What is counted are windows of seven
/// lines that stand somewhere else as well, without regard to blank lines, comments, usings and lone braces.
/// </summary>
public class RepetitionTests
{
    private const int Window = 7;
    private const double Most = 0.03;

    [Theory]
    [InlineData("test/Faster.Conformance")]
    [InlineData("benchmarks")]
    [InlineData("samples")]
    public void Few_windows_of_seven_lines_stand_twice(string folder)
    {
        string[][] files = [.. Repository.Files(folder, "*.cs").Select(file => CodeOf(Repository.Read(file)))];
        double share = ShareOf(files);
        Assert.True(share <= Most, $"{share:P1} of the windows in {folder} stand twice, more than {Most:P0}.");
    }

    [Fact]
    public void Windows_that_stand_twice_are_counted_in_one_file_and_in_two()
    {
        string[] once = [.. Enumerable.Range(0, 20).Select(line => $"a{line};")];
        string[] again = [.. once[..8], .. Enumerable.Range(0, 5).Select(line => $"b{line};")];
        Assert.Equal(0, ShareOf([once]));
        Assert.Equal(4.0 / (14 + 7), ShareOf([once, again]));
        Assert.Equal(2.0 / 22, ShareOf([[.. once, .. once[..7], "c;"]]), precision: 6);
        Assert.Equal(["x;", "y;"], CodeOf("using A;\n// c\nx;\n{\n\n    y; \n}\n/// <summary>"));
    }

    private static string[] CodeOf(string text) =>
    [
        .. text.Split('\n').Select(static line => line.Trim())
            .Where(static line => line.Length > 0 && line is not ("{" or "}")
                && !line.StartsWith("//", StringComparison.Ordinal)
                && !line.StartsWith("using ", StringComparison.Ordinal)),
    ];

    private static double ShareOf(IEnumerable<string[]> files)
    {
        string[] windows = [.. files.SelectMany(static lines => Enumerable
            .Range(0, Math.Max(0, lines.Length - Window + 1))
            .Select(at => string.Join('\n', lines[at..(at + Window)])))];
        int twice = windows.GroupBy(static window => window).Where(static same => same.Count() > 1)
            .Sum(static same => same.Count());
        return windows.Length == 0 ? 0 : (double)twice / windows.Length;
    }
}
