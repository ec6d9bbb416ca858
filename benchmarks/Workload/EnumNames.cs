namespace Faster.Workload;

/// <summary>How members of an enumeration are written on command lines and in results.</summary>
internal static class EnumNames
{
    /// <summary>The name in lower case.</summary>
    public static string Of<T>(T value)
        where T : struct, Enum => value.ToString().ToLowerInvariant();

    /// <summary>The member of a name, in any case; false when there is none. A number is no name.</summary>
    public static bool TryParse<T>(string text, out T value)
        where T : struct, Enum => Enum.TryParse(text, ignoreCase: true, out value) && char.IsLetter(text[0]);
}
