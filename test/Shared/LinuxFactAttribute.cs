namespace Faster.Testing;

/// <summary>A test of what only Linux has: skipped elsewhere, with the reason.</summary>
public sealed class LinuxFactAttribute : FactAttribute
{
    /// <summary>Skips the test on other systems.</summary>
    /// <param name="needs">What the test needs of it.</param>
    public LinuxFactAttribute(string needs) => Skip = LinuxTheoryAttribute.ReasonOf(needs);
}

/// <summary>A theory about what only Linux has: skipped elsewhere, with the reason.</summary>
public sealed class LinuxTheoryAttribute : TheoryAttribute
{
    /// <summary>Skips the test on other systems.</summary>
    /// <param name="needs">What the test needs of it.</param>
    public LinuxTheoryAttribute(string needs) => Skip = ReasonOf(needs);

    internal static string? ReasonOf(string needs) => OperatingSystem.IsLinux() ? null : $"Needs Linux: {needs}.";
}
