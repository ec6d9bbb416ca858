using System.Runtime.InteropServices;

namespace CountStore.Input;

/// <summary>
/// The text that each machine with the SDK has: the XML documentation files in the SDK's <c>packs</c> folder.
/// </summary>
internal static class SdkDocumentation
{
    /// <summary>Opens all XML documentation files of the SDK that runs this program.</summary>
    /// <exception cref="InputException">There are none.</exception>
    public static IInput Open() => Open(Roots());

    /// <summary>Opens the XML documentation under the first root with a folder <c>packs</c> that has any.</summary>
    /// <exception cref="InputException">None of the roots has any.</exception>
    public static IInput Open(IEnumerable<string> roots)
    {
        string[] folders = [.. roots.Select(root => Path.Combine(root, "packs")).Distinct()];
        EnumerationOptions everything = new() { RecurseSubdirectories = true, MatchType = MatchType.Simple };
        foreach (string folder in folders.Where(Directory.Exists))
        {
            FileInfo[] files = new DirectoryInfo(folder).GetFiles("*.xml", everything);
            if (files.Length > 0) return new FileSetInput(folder, InputFormat.XmlPhrases, files);
        }

        throw new InputException("The SDK's XML documentation was not found (looked in "
            + string.Join(", ", folders) + "). Set DOTNET_ROOT to the SDK's folder, or name a file by --input.");
    }

    private static IEnumerable<string> Roots()
    {
        if (Environment.GetEnvironmentVariable("DOTNET_ROOT") is { Length: > 0 } named) yield return named;
        string?[] hosts = [Environment.GetEnvironmentVariable("DOTNET_HOST_PATH"), Environment.ProcessPath];
        foreach (string? host in hosts)
        {
            if (host is { Length: > 0 } && Path.GetFileNameWithoutExtension(host) == "dotnet"
                && Path.GetDirectoryName(host) is { } folder) yield return folder;
        }

        // The framework lies in <root>/shared/<its name>/<its version>/.
        yield return Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
    }
}
