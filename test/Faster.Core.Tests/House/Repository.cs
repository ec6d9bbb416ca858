using System.Runtime.CompilerServices;

namespace Faster.Tests.House;

/// <summary>Finds the sources that these tests were built from.</summary>
internal static class Repository
{
    /// <summary>The folder of the solution.</summary>
    public static string Root { get; } = FindRoot(AppContext.BaseDirectory) ?? FindRoot(OwnFolder())
        ?? throw new InvalidOperationException(
            "Faster.sln is in no folder above the tests: run them from the repository.");

    /// <summary>The folders that hold C# code.</summary>
    public static IReadOnlyList<string> CodeFolders { get; } = ["src", "test", "samples", "benchmarks"];

    /// <summary>Files of the repository below a folder, relative to the root, with slashes.</summary>
    public static IEnumerable<string> Files(string folder, string pattern)
    {
        string path = Path.Combine(Root, folder);
        return !Directory.Exists(path) ? [] : Directory.EnumerateFiles(path, pattern, SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(Root, file).Replace('\\', '/'))
            .Where(file => !file.Split('/').Any(part => part is "bin" or "obj" or "artifacts"))
            .Order(StringComparer.Ordinal);
    }

    /// <summary>All C# files of the repository, except snapshots of emitted code.</summary>
    public static IEnumerable<string> CodeFiles() => CodeFolders.SelectMany(folder => Files(folder, "*.cs"))
        .Where(file => !file.EndsWith(".verified.cs", StringComparison.Ordinal));

    /// <summary>A file's text, given its path relative to the root.</summary>
    public static string Read(string file) => File.ReadAllText(Path.Combine(Root, file));

    private static string? FindRoot(string? folder)
    {
        while (folder is not null && !File.Exists(Path.Combine(folder, "Faster.sln")))
            folder = Path.GetDirectoryName(folder);
        return folder;
    }

    private static string? OwnFolder([CallerFilePath] string path = "") => Path.GetDirectoryName(path);
}
