namespace Faster.Workload.Experiments;

/// <summary>How the forms of commits are written on command lines and in results.</summary>
internal static class FormNames
{
    private static readonly Dictionary<string, CommitForm> Forms = new(StringComparer.OrdinalIgnoreCase)
    {
        ["fold-over"] = CommitForm.FoldOver,
        ["snapshot"] = CommitForm.Snapshot,
        ["incremental"] = CommitForm.Incremental,
    };

    /// <summary>All names.</summary>
    public static IReadOnlyCollection<string> All => Forms.Keys;

    /// <summary>The name of a form.</summary>
    public static string Of(CommitForm form) => Forms.Single(pair => pair.Value == form).Key;

    /// <summary>The form of a name; false when there is none.</summary>
    public static bool TryParse(string name, out CommitForm form) => Forms.TryGetValue(name, out form);
}
