namespace Faster.Workload;

/// <summary>How members of an enumeration are written on command lines and in results.</summary>
internal static class EnumNames
{
    /// <summary>The name in lower case.</summary>
    public static string Of<T>(T value)
        where T : struct, Enum => value.ToString().ToLowerInvariant();
}
