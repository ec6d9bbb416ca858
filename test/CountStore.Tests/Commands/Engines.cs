namespace CountStore.Tests.Commands;

/// <summary>The engines that the program offers, each with little memory.</summary>
internal static class Engines
{
    public const string Faster = "faster", Tiered = "tiered";

    /// <summary>How many keys of an input do not fit into that memory, nor into the hot log of two tiers.</summary>
    public static int Keys(string engine) => engine == Tiered ? 240_000 : 120_000;

    /// <summary>The options of a run with an engine and less memory than its keys need.</summary>
    public static string[] Args(string engine) =>
        ["--engine", engine, "--memory", engine == Tiered ? "3MB" : "1MB"];

    /// <summary>Whether a data folder's store has records in a cold log, and so of which engine it is.</summary>
    public static string Of(string data)
    {
        const int page = 4 << 10; // the least that a log has
        return Directory.GetFiles(Path.Combine(data, "store"), "cold.*").Sum(file => new FileInfo(file).Length) > page
            ? Tiered
            : Faster;
    }
}
