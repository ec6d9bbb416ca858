namespace System.Runtime.CompilerServices;

/// <summary>Lets records compile for .NET Standard 2.0.</summary>
internal static class IsExternalInit;
