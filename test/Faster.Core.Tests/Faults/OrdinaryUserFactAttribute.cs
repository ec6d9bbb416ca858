namespace Faster.Tests.Faults;

/// <summary>A test of permissions: skipped, with the reason, where the user is one that they do not stop.</summary>
public sealed class OrdinaryUserFactAttribute : FactAttribute
{
    public OrdinaryUserFactAttribute()
    {
        if (OperatingSystem.IsWindows()) Skip = "On Windows permissions are others.";
        else if (Environment.IsPrivilegedProcess) Skip = "Runs as root, whom permissions do not stop.";
    }
}
