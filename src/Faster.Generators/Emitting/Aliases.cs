using System.Text;

namespace Faster.Generators.Emitting;

/// <summary>
/// The aliases of namespaces that a file of emitted code begins with. What is written before <c>::</c> is looked up
/// among aliases only, so no name of the user's can hide one.
/// </summary>
internal static class Aliases
{
    // The longer of two namespaces that begin alike comes first.
    private static readonly (string Alias, string Namespace)[] All =
    [
        ("_C", "Faster.Contracts"), ("_F", "Faster"), ("_T", "System.Threading.Tasks"),
        ("_R", "System.Runtime.CompilerServices"), ("_S", "System"),
    ];

    /// <summary>
    /// Returns emitted code in which the aliases stand for fully qualified names, and which defines them.
    /// </summary>
    /// <param name="head">The first lines of the file.</param>
    /// <param name="code">All that follows.</param>
    public static string Shorten(string head, string code)
    {
        var text = new StringBuilder(code);
        foreach ((string alias, string name) in All) text.Replace($"global::{name}.", $"{alias}::");
        string usings = string.Concat(All.Select(static a => $"using {a.Alias} = global::{a.Namespace};\n"));
        return head + usings + text;
    }
}
