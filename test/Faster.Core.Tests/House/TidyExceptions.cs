namespace Faster.Tests.House;

/// <summary>What may break a rule of tidiness, by name. Keep it short; say why.</summary>
internal static class TidyExceptions
{
    /// <summary>Files of src that may be longer than 400 lines.</summary>
    public static readonly IReadOnlySet<string> LongFiles = new HashSet<string>(StringComparer.Ordinal)
    {
    };
}
